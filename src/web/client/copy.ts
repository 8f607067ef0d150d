/** Copies the code of a box whose button is pressed. */

const COPIED_MS = 2_000

async function copy(button: HTMLElement): Promise<void> {
  const shown = [...(button.closest('.code-box')?.querySelectorAll('pre') ?? [])].find((pre) => pre.offsetParent)
  // Only secure pages have a clipboard.
  const copied = await navigator.clipboard?.writeText(shown?.textContent ?? '').then(
    () => true,
    () => false,
  )
  button.textContent = copied ? 'Copied' : 'Not allowed here'
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
}

document.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest<HTMLElement>('.code-box [data-copy]')
  if (button) void copy(button)
})
