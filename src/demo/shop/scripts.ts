/** What runs in the pages of the shop: results that load late, the cookie banner, the card's token, a question before an order is cancelled. */
export const SHOP_SCRIPT = `
const results = document.querySelector('[data-results]')
if (results) fetch(results.dataset.results).then((answer) => answer.text()).then((html) => { results.innerHTML = html })

const cookies = document.querySelector('.cookies')
if (cookies) cookies.addEventListener('submit', (event) => {
  event.preventDefault()
  fetch('/cookies', { method: 'POST', redirect: 'manual', body: new URLSearchParams({ choice: event.submitter.value }) })
  cookies.remove()
})

for (const form of document.querySelectorAll('[data-confirm]')) {
  form.addEventListener('submit', (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault() })
}

const checkout = document.querySelector('#checkout')
const frame = document.querySelector('#card')
if (checkout && frame) {
  const provider = new URL(frame.src).origin
  const method = checkout.elements.payment
  const show = () => { frame.hidden = method.value !== 'card' }
  method.addEventListener('change', show)
  show()
  // The card's number never comes here: its frame gives a token for it.
  checkout.addEventListener('submit', (event) => {
    if (method.value !== 'card' || checkout.elements.token.value !== '') return
    event.preventDefault()
    frame.contentWindow.postMessage('token', provider)
  })
  addEventListener('message', (event) => {
    if (event.origin !== provider || event.source !== frame.contentWindow) return
    checkout.elements.token.value = event.data.token ?? ''
    if (event.data.token) checkout.submit()
  })
}
`

/** What runs in the payment provider's frame. */
export const CARD_SCRIPT = `
const form = document.querySelector('form')
const wrong = document.querySelector('[role=alert]')
form.addEventListener('submit', (event) => event.preventDefault())
addEventListener('message', async (event) => {
  if (event.source !== parent || event.data !== 'token') return
  const answer = await fetch('/pay/token', { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  const { token, error } = await answer.json()
  wrong.textContent = error ?? ''
  parent.postMessage({ token }, event.origin)
})
`
