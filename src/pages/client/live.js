import { confirmForms } from './confirm.ts'
import { leaveWhenPaired } from './paired.ts'

/**
 * Keeps the parts of a page that are marked `data-live` as the server would draw them now: when the stream says that
 * something changed, the page is fetched again and what differs is put in place. Without this script the page does not update.
 */
const PAUSE_MS = 300
const RELOAD_MS = 3_000
const parts = () => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-live]'))
const stream = /** @type {HTMLElement | null} */ (document.querySelector('[data-events]'))
let fetching = false
let due = false

async function refresh() {
  if (fetching) {
    due = true
    return
  }
  fetching = true
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), 'text/html'))
  } catch {
    // The stream says when the service is away, and comes back with it.
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  fetching = false
  if (due) {
    due = false
    refresh()
  }
}

/** @param {Document} fresh */
function replace(fresh) {
  for (const part of parts()) {
    const next = fresh.getElementById(part.id)
    // What somebody is typing in or has opened stays as it is.
    if (
      !next ||
      part.innerHTML === next.innerHTML ||
      part.matches(':focus-within') ||
      part.querySelector('details[open]')
    )
      continue
    const scrolled = part.querySelector('.strip')?.scrollLeft ?? 0
    part.replaceChildren(...next.childNodes)
    part.querySelector('.strip')?.scrollTo({ left: scrolled })
  }
}

if (stream) {
  const source = new EventSource(stream.dataset.events ?? '')
  const changed = () => {
    stream.textContent = 'Live'
    refresh()
  }
  source.addEventListener('changed', changed)
  source.addEventListener('open', () => {
    stream.textContent = 'Live'
  })
  source.addEventListener('error', () => {
    stream.textContent = 'Not live: the service is not responding. Reconnecting…'
    // It does not try again: who looks may have signed out.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), RELOAD_MS)
  })
}

confirmForms()
const waiting = /** @type {HTMLElement | null} */ (document.querySelector('[data-until-paired]'))
if (waiting) leaveWhenPaired(waiting)
