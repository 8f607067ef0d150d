import { ActorList } from './actors.js'
import { light } from './drawing.js'
import { byId, clockTime, element, span } from './format.ts'
import { drawSequence } from './sequence.js'
import { zoomable } from './zoom.ts'

/**
 * @typedef {import('./actors.js').Line & { states: string[], accepts: string[], context: unknown, now: number,
 *   transitions: { at: number, event: string, state: string, duration: number | null }[],
 *   messages: import('./sequence.js').Message[] }} Detail
 */

const TICK_MS = 250
const root = byId('inspector')
const drawing = byId('drawing')
const said = byId('stream')
/** What the service's clock is ahead of this one's. */
let ahead = 0
let focus = root.dataset.focus ?? ''
let paused = false
/** @type {EventSource | null} */
let source = null
/** @type {Detail | null} */
let shown = null
/** @type {Detail | null} */
let due = null
const now = () => Date.now() + ahead
const list = new ActorList(byId('actors'), now)

function connect() {
  source?.close()
  const opened = new EventSource(`/inspector/events${focus === '' ? '' : `?actor=${encodeURIComponent(focus)}`}`)
  source = opened
  let first = true
  opened.addEventListener('open', () => {
    said.textContent = 'Live'
    first = true
  })
  opened.addEventListener('error', () => {
    said.textContent =
      opened.readyState === EventSource.CLOSED ? 'Your access has ended. Sign in again.' : 'Connecting…'
  })
  on(opened, 'actors', ({ now: theirs, actors, gone }) => {
    ahead = theirs - Date.now()
    if (first) list.reset(actors)
    else list.change(actors, gone)
    first = false
    byId('nobody').hidden = list.size > 0
    count()
  })
  on(opened, 'actor', (detail) => {
    ahead = detail.now - Date.now()
    // The state is lit at once; what is long to read is drawn with the next frame.
    if (detail.address === focus) lit(detail)
    if (due === null) requestAnimationFrame(draw)
    due = detail
  })
  on(opened, 'missing', () => {
    byId('facts').textContent = 'This actor does not exist or has ended.'
  })
}

/**
 * @param {EventSource} from
 * @param {string} name
 * @param {(data: any) => void} hear
 */
function on(from, name, hear) {
  from.addEventListener(name, (event) => hear(JSON.parse(/** @type {MessageEvent} */ (event).data)))
}

function count() {
  byId('count').textContent = list.shown === list.size ? `${list.size}` : `${list.shown} of ${list.size}`
}

/** @param {Detail} detail */
function lit({ states, transitions }) {
  const last = transitions.at(-1)
  const before = transitions.at(-2)?.state
  const known = [...drawing.querySelectorAll('.state')].map((state) => state.getAttribute('data-state') ?? '')
  const from = known.filter((path) => before !== undefined && (path === before || path.endsWith(`.${before}`)))
  light(drawing, states, last?.event ?? '', from)
}

function draw() {
  const detail = due
  due = null
  if (!detail || detail.address !== focus) return
  shown = detail
  byId('hint').hidden = true
  byId('detail').hidden = false
  byId('accepts').replaceChildren(...detail.accepts.map((event) => element('li', {}, event)))
  byId('context').textContent = JSON.stringify(detail.context, null, 2)
  const moves = detail.transitions
    .toReversed()
    .map(({ at, event, state, duration }) =>
      element(
        'tr',
        {},
        element('td', {}, clockTime(at)),
        element('td', {}, event),
        element('td', {}, state),
        element('td', {}, duration === null ? 'now' : span(duration)),
      ),
    )
  byId('moves').replaceChildren(...moves)
  drawSequence(byId('sequence'), detail.messages)
  facts()
}

function facts() {
  if (!shown || shown.address !== focus) return
  const { state, since, startedAt, deadlineAt, supervisor, endedAt } = shown
  const taskId = /^task:(.+)$/.exec(focus)?.[1]
  const parts = [
    ...(endedAt === null
      ? [since === null ? state : `${state} for ${span(now() - since)}`, `alive for ${span(now() - startedAt)}`]
      : [`${state}`, `ran for ${span(endedAt - startedAt)}`]),
    ...(deadlineAt === null ? [] : [`timeout in ${span(Math.max(0, deadlineAt - now()))}`]),
    ...(supervisor === null ? [] : [`supervised by ${supervisor}`]),
  ]
  const into = byId('facts')
  into.textContent = parts.join(' · ')
  if (endedAt !== null && taskId) into.append(' · ', element('a', { href: `/inspector?task=${taskId}` }, 'Replay'))
}

/** @param {string} address */
async function choose(address) {
  focus = address
  shown = null
  list.focus(address)
  byId('actor-title').textContent = address
  byId('facts').textContent = ''
  const noun = address.split(':')[0] ?? ''
  if (drawing.dataset.noun !== noun) {
    const answer = await fetch(`/inspector/drawings/${encodeURIComponent(noun)}`)
    if (answer.ok && focus === address) {
      const svg = new DOMParser().parseFromString(await answer.text(), 'image/svg+xml').documentElement
      drawing.replaceChildren(document.importNode(svg, true))
      drawing.dataset.noun = noun
    }
  }
  if (!paused) connect()
}

byId('actors').addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  choose(link.dataset.address ?? '')
})
addEventListener('popstate', () => choose(new URLSearchParams(location.search).get('actor') ?? ''))

byId('filter').addEventListener('input', (event) => {
  list.filter(/** @type {HTMLInputElement} */ (event.target).value)
  count()
})

byId('pause').addEventListener('click', () => {
  paused = !paused
  const button = byId('pause')
  button.setAttribute('aria-pressed', String(paused))
  button.textContent = paused ? 'Resume' : 'Pause'
  if (paused) {
    source?.close()
    said.textContent = 'Paused'
  } else connect()
})

setInterval(() => {
  if (paused || document.hidden) return
  list.tick()
  facts()
}, TICK_MS)
zoomable(drawing)
list.focus(focus)
connect()
