/** What the docs do beyond being read: code is copied, a language is chosen for all examples, and the contents show where one is. */

const KEPT = 'docs-language'
const COPIED_MS = 2_000

function choose(language: string): void {
  document.documentElement.dataset.language = language
  for (const group of document.querySelectorAll('.pick')) {
    const buttons = [...group.querySelectorAll<HTMLElement>('[data-language]')]
    const isOffered = buttons.some((button) => button.dataset.language === language)
    for (const [at, button] of buttons.entries())
      button.setAttribute('aria-pressed', String(isOffered ? button.dataset.language === language : at === 0))
  }
}

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

/** The link of the contents to the part of the page that is read is marked. */
function followReading(): void {
  const links = new Map<string, HTMLElement>()
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.contents a, .reference #topics a'))
    links.set(decodeURIComponent(link.hash.slice(1)), link)
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((each) => each !== null)
  const inView = new Set<Element>()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      }
      const current = headings.find((heading) => inView.has(heading))
      if (current === undefined) return
      for (const [id, link] of links)
        if (id === current.id) link.setAttribute('aria-current', 'location')
        else link.removeAttribute('aria-current')
    },
    { rootMargin: '0px 0px -60% 0px' },
  )
  for (const heading of headings) observer.observe(heading)
}

document.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest<HTMLElement>('.code-box .head button')
  if (button?.dataset.language) {
    const before = button.getBoundingClientRect().top
    choose(button.dataset.language)
    // The boxes above it may have become longer or shorter: the one that was pressed stays where it is.
    scrollBy(0, button.getBoundingClientRect().top - before)
    localStorage.setItem(KEPT, button.dataset.language)
  } else if (button) void copy(button)
})
const kept = localStorage.getItem(KEPT)
if (kept !== null) choose(kept)
followReading()
