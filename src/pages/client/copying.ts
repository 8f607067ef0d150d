const COPIED_MS = 2_000

/** Puts a button that copies it below each text that is marked `data-copy`. Only secure pages have a clipboard. */
export function offerCopies(): void {
  if (!navigator.clipboard) return
  for (const text of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'plain', textContent: 'Copy' })
    button.setAttribute('aria-label', `Copy: ${text.getAttribute('aria-label')}`)
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(text.textContent ?? '').then(
        () => true,
        () => false,
      )
      button.textContent = copied ? 'Copied' : 'Copying is not allowed here'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, COPIED_MS)
    })
    const line = document.createElement('p')
    line.append(button)
    text.after(line)
  }
}
