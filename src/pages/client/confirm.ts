/** A form that ends something asks first: `data-confirm` is the question. Without this script it is sent at once. */
export function confirmForms(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target
    const question = form instanceof HTMLFormElement ? form.dataset.confirm : undefined
    if (!(form instanceof HTMLFormElement) || question === undefined) return
    event.preventDefault()
    ask(question, form.querySelector('button')?.textContent ?? 'Go on', () => form.submit())
  })
}

function ask(question: string, agree: string, act: () => void): void {
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-label', question)
  const words = document.createElement('p')
  words.textContent = question
  const row = document.createElement('div')
  row.className = 'actions'
  const button = (text: string, kind: string, press: () => void) => {
    const made = document.createElement('button')
    Object.assign(made, { type: 'button', textContent: text, className: kind, onclick: press })
    row.append(made)
  }
  button(agree, 'danger', act)
  button('Cancel', 'plain', () => dialog.close())
  dialog.append(words, row)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
