/** What the docs do beyond being read: code and links are copied, a language is chosen for all examples, the contents follow the reading, words that were looked for are marked, and examples carry what is the reader's own. */

import './copy.ts'

const KEPT = 'docs-language'

function choose(language: string): void {
  document.documentElement.dataset.language = language
  for (const group of document.querySelectorAll('.pick')) {
    const buttons = [...group.querySelectorAll<HTMLElement>('[data-language]')]
    const isOffered = buttons.some((button) => button.dataset.language === language)
    for (const [at, button] of buttons.entries())
      button.setAttribute('aria-pressed', String(isOffered ? button.dataset.language === language : at === 0))
  }
}

/** A link of a list that is scrolled by itself comes into the middle of it. */
function centre(link: Element): void {
  const list = link.closest('nav')
  if (list === null) return
  const [at, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()]
  list.scrollTop += at.top - box.top - (list.clientHeight - at.height) / 2
}

/** How far down the window a heading is that is read, as a part of its height. */
const READ_AT = 0.4

/**
 * [P16] The link of the contents to the part of the page that is read is marked and in sight. That part keeps its place when the window
 * becomes wider or narrower, as when a phone is turned: with another layout all that is above it has another height.
 */
function followReading(): void {
  const links = new Map<string, HTMLElement>()
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.contents a, .reference #topics a[href^="#"]'))
    links.set(decodeURIComponent(link.hash.slice(1)), link)
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((each) => each !== null)
  let current: HTMLElement | undefined
  let top = 0
  let [width, hash] = [innerWidth, location.hash]
  const follow = () => {
    hash = location.hash
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight * READ_AT)
    top = read?.getBoundingClientRect().top ?? 0
    if (read === current) return
    if (current !== undefined) links.get(current.id)?.removeAttribute('aria-current')
    current = read
    const link = read && links.get(read.id)
    link?.setAttribute('aria-current', 'location')
    const subject = link?.closest('details')
    if (subject) subject.open = true
    if (link !== undefined) centre(link)
  }
  const keepPlace = () => {
    // A part that was opened in this moment is where the browser has just put it.
    if (innerWidth !== width && location.hash === hash && current !== undefined && scrollY > 0) {
      const margin = Number.parseFloat(getComputedStyle(current).scrollMarginTop)
      // Further up than its margin it would be under the bar of a phone.
      scrollBy(0, current.getBoundingClientRect().top - (top < 0 ? top : Math.max(top, margin)))
    }
    width = innerWidth
    follow()
  }
  addEventListener('scroll', follow, { passive: true })
  addEventListener('resize', keepPlace)
  const topics = document.getElementById('topics')
  const centreCurrent = () => {
    const link = topics?.querySelector('[aria-current]')
    if (link) centre(link)
  }
  topics?.addEventListener('toggle', centreCurrent)
  centreCurrent()
  follow()
}

/** Each heading has a link to itself, which a click copies. */
function linkHeadings(): void {
  for (const heading of document.querySelectorAll('.text :is(h2, h3, h4)[id]')) {
    const link = document.createElement('a')
    link.className = 'anchor'
    link.href = `#${heading.id}`
    link.textContent = '#'
    link.setAttribute('aria-label', `Link to ${heading.textContent}`)
    link.addEventListener('click', () => void navigator.clipboard?.writeText(link.href).catch(() => {}))
    heading.append(link)
  }
}

function textsIn(selector: string): Text[] {
  const texts: Text[] = []
  for (const root of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
  }
  return texts
}

/** The words by which the search found this page. */
function markWords(): void {
  const asked = new URLSearchParams(location.search).get('find')?.trim() ?? ''
  if (asked === '') return
  const words = asked.split(/\s+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // A word that begins or ends with one of them is marked as a whole.
  const pattern = new RegExp(`[\\p{L}\\p{N}_]*(?:${words.join('|')})[\\p{L}\\p{N}_]*`, 'giu')
  // From its end: what stands before a mark keeps its place.
  for (const text of textsIn('.docs .text'))
    for (const { 0: word, index } of [...text.data.matchAll(pattern)].reverse()) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      range.surroundContents(document.createElement('mark'))
    }
  const input = document.querySelector<HTMLInputElement>('.find input')
  if (input !== null) input.value = asked
}

interface Item {
  readonly id: string
  readonly name?: string
  readonly type?: string
  readonly key_prefix?: string
  readonly last_used_at?: number | null
  readonly label?: string | null
}

/** [P25] In the examples: where this service is and, signed in, the reader's own ids and the beginning of their key. */
async function showOwn(): Promise<void> {
  for (const each of document.querySelectorAll('.docs .origin')) each.textContent = location.origin
  const own = new Map([['SERVICE=http://127.0.0.1:3456', `SERVICE=${location.origin}`]])
  const { workspace, examples } = document.querySelector<HTMLElement>('.docs')?.dataset ?? {}
  if (workspace !== undefined) {
    const ids = JSON.parse(examples ?? '{}') as Record<string, string>
    const read = async (path: string): Promise<readonly Item[]> => {
      const answer = await fetch(path, { headers: { 'X-Workspace-Id': workspace } })
      return answer.ok ? (await answer.json()).data : []
    }
    const [keys, [browser], [task], [endpoint], [recipe], [profile]] = await Promise.all([
      read('/v1/api-keys'),
      read('/v1/browser-sessions?limit=1'),
      read('/v1/tasks?limit=1'),
      read('/v1/webhook-endpoints'),
      read('/v1/recipes?limit=1'),
      read('/v1/profiles'),
    ])
    const [key] = keys
      .filter(({ type }) => type === 'secret')
      .sort((one, other) => (other.last_used_at ?? 0) - (one.last_used_at ?? 0))
    for (const [name, item] of Object.entries({ task, browser, key, endpoint, recipe }))
      if (item !== undefined) own.set(ids[name] ?? '', item.id)
    // Where one is created, its name is still free.
    if (profile?.name !== undefined)
      for (const text of textsIn('[aria-labelledby="getProfile"] code, [aria-labelledby="signIntoProfile"] code'))
        text.data = text.data.replaceAll(/\bacme\b(?!\.)/g, profile.name)
    if (browser !== undefined) own.set('SESSION=…', `SESSION=${browser.id}`)
    if (task !== undefined) own.set('TASK=…', `TASK=${task.id}`)
    if (key !== undefined) {
      own.set('svc_live_…', `${key.key_prefix}…`)
      own.set('a secret key of your workspace', `your key “${key.name}”`)
    }
    const shown = [
      key && `your key “${key.name}”`,
      browser && `your browser ${browser.label ? `“${browser.label}”` : browser.id}`,
      task && 'your last task',
    ].filter(Boolean)
    const note = document.querySelector('.own')
    if (note !== null && shown.length > 0)
      note.textContent = `The examples have ${shown.join(', ')}. Secrets are not shown.`
  }
  for (const text of textsIn('.docs code'))
    for (const [example, value] of own)
      if (text.data.includes(example)) text.data = text.data.replaceAll(example, value)
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if ((event.target as Element).closest('input, textarea, select, [contenteditable]')) return
  event.preventDefault()
  const input = document.querySelector<HTMLInputElement>('.find input')
  input?.focus()
  input?.select()
})
document.addEventListener('click', ({ target }) => {
  if ((target as Element).closest('#topics a'))
    document.querySelector<HTMLElement>('#topics:popover-open')?.hidePopover()
  const button = (target as Element).closest<HTMLElement>('.code-box [data-language]')
  if (!button?.dataset.language) return
  const before = button.getBoundingClientRect().top
  choose(button.dataset.language)
  // The boxes above it may have become longer or shorter: the one that was pressed stays where it is.
  scrollBy(0, button.getBoundingClientRect().top - before)
  localStorage.setItem(KEPT, button.dataset.language)
})
const kept = localStorage.getItem(KEPT)
if (kept !== null) choose(kept)
followReading()
markWords()
linkHeadings()
void showOwn()
