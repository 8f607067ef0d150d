import { html } from '../../web/html.ts'

const DIGITS_MIN = 13
const DIGITS_MAX = 19

/** What is wrong with a card, or `null`. Its number is checked as real ones are, by its last digit. */
export function wrongWithCard(card: { number: string; expiry: string; code: string }): string | null {
  if (!isCardNumber(card.number)) return 'Please check the card number.'
  if (!/^(0[1-9]|1[0-2])\s*\/\s*\d{2}$/.test(card.expiry.trim())) return 'Please enter the expiry date as MM/YY.'
  return /^\d{3,4}$/.test(card.code.trim()) ? null : 'Please enter the security code.'
}

export const digitsOf = (number: string): string => number.replace(/[\s-]/g, '')

function isCardNumber(number: string): boolean {
  const digits = digitsOf(number)
  if (!/^\d+$/.test(digits) || digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return false
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const field = (name: string, label: string, hint: string) => html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" placeholder="${hint}" inputmode="numeric" autocomplete="off"></p>`

/** The payment provider's page, which the checkout shows in a frame of another site. */
export const cardPage = (): string =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Card</title>
<style>body { font: 15px sans-serif; margin: .5rem } p { margin: .4rem 0; display: flex; gap: .5rem } label { width: 8rem } [role=alert] { color: #a4262c }</style>
</head>
<body>
<form>
${field('number', 'Card number', '4242 4242 4242 4242')}
${field('expiry', 'Expiry date', 'MM/YY')}
${field('code', 'Security code', '123')}
</form>
<p role="alert"></p>
<script src="/pay/card.js"></script>
</body>
</html>
`.text
