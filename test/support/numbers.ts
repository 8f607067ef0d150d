import * as assert from 'uvu/assert'
import type { Driven } from './driven-browser.ts'

/** How twelve languages write numbers. */
export const LOCALES = 'en-US de-DE fr-FR de-CH en-IN ar-EG fa-IR sv-SE pl-PL pt-BR ru-RU ja-JP'.split(' ')

/** Numbers of every size, with and without sign and decimals; the same ones each time. */
export function numbers(count: number): number[] {
  const edges = [0, 5, -5, 1.5, 12.5, -12.5, 150, 1234.5, -1234.56, 1234567.89, 0.05, 999, 1000, -0.5, 100000, 1.234]
  let seed = 42
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  while (edges.length < count) {
    const decimals = Math.floor(random() * 4)
    const size = 10 ** Math.floor(random() * 7)
    edges.push(Number(((random() < 0.4 ? -1 : 1) * random() * size).toFixed(decimals)))
  }
  return edges.slice(0, count)
}

/** As people write a number: with their language's marks, and with decimals as money has them. */
export function spellings(number: number, locale: string): string[] {
  const written = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options).format(number)
  return [
    ...new Set([
      written({ maximumFractionDigits: 3 }),
      written({ maximumFractionDigits: 3, minimumFractionDigits: 2 }),
    ]),
  ]
}

/** Fields of pages that make something else of what is typed; each tells what number it holds. */
export const FIELDS = `<title>Numbers</title>
<label>number <input type="number" step="any"></label>
<label>text <input></label>
<label>digits <input inputmode="numeric"></label>
<label>english <input></label>
<label>german <input></label>
<label>cents <input></label>
<label>accounts <input></label>
<div contenteditable aria-label="region" role="textbox" style="min-height: 1em"></div>
<script>
  const fields = [...document.querySelectorAll('input, [contenteditable]')]
  const named = (name) => fields.find((field) => (field.labels?.[0]?.textContent ?? field.getAttribute('aria-label')).trim() === name)
  const format = (name, change) => named(name).addEventListener('input', ({ target }) => {
    const { number, text } = change(target.value)
    target.number = number
    target.value = text
  })
  named('number').addEventListener('input', ({ target }) => { target.number = target.valueAsNumber })
  format('digits', (value) => {
    const text = value.replace(/\\D/g, '')
    return { number: Number(text), text }
  })
  const shown = (number, locale) => ({ number, text: Number.isNaN(number) ? '' : number.toLocaleString(locale, { maximumFractionDigits: 10 }) })
  format('english', (value) => shown(parseFloat(value.replace(/[^\\d.-]/g, '')), 'en'))
  format('german', (value) => shown(parseFloat(value.replace(/[^\\d,-]/g, '').replace(',', '.')), 'de'))
  format('cents', (value) => shown(Number(value.replace(/\\D/g, '')) / 100, 'en'))
  format('accounts', (value) => {
    const number = parseFloat(value.replace(/[^\\d.]/g, ''))
    return { number, text: '(' + number + ')' }
  })
</script>`
const NAMES = ['number', 'text', 'digits', 'english', 'german', 'cents', 'accounts', 'region']

/** Sets each field to each number as each language writes it, and checks that none is said to be set to another one. */
export async function setAll(
  { show, ref, run, tabs }: Driven,
  all: readonly number[],
): Promise<{ set: number; refused: number }> {
  await show(FIELDS)
  const refs: string[] = []
  for (const name of NAMES) refs.push(await ref(new RegExp(`"${name}"`)))
  const wrong: string[] = []
  const counts = { set: 0, refused: 0 }
  for (const number of all) {
    for (const text of new Set(LOCALES.flatMap((locale) => spellings(number, locale)))) {
      for (const [at, name] of NAMES.entries()) {
        const done = await run('form_input', { ref: refs[at], value: text, look: 'none' }).catch(() => null)
        if (!done?.said.endsWith(' was set.')) {
          counts.refused += 1
          continue
        }
        counts.set += 1
        const expression = `[fields[${at}].value ?? fields[${at}].innerText, fields[${at}].number ?? null]`
        const answer = await tabs.protocolOf('task')?.send('Runtime.evaluate', { expression, returnByValue: true })
        const [held, holds] = (answer as { result: { value: [string, number | null] } }).result.value
        if (held.replace(/\s+/g, ' ') !== text.replace(/\s+/g, ' ') && holds !== number)
          wrong.push(`${name}: ${text} (${number}) was set, and it holds ${held} = ${holds}`)
      }
    }
  }
  assert.equal(wrong, [])
  return counts
}
