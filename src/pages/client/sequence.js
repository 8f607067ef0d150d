/** Messages between actors, as a sequence diagram: a column for each kind of actor, an arrow for each message. */

const ORDER = [
  'client',
  'workspace',
  'admission',
  'clock',
  'model',
  'store',
  'task',
  'session',
  'call',
  'browser',
  'closing',
  'delivery',
]
const COLUMN_PX = 96
const ROW_PX = 26
const HEAD_PX = 26
const SVG = 'http://www.w3.org/2000/svg'

/** @typedef {{ at: number, from: string, to: string, event: string }} Message */

/** @param {string} address */
const kindOf = (address) => address.split(':')[0] ?? address
/** @param {string} kind */
const place = (kind) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length)

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  if (text !== undefined) made.textContent = text
  return made
}

/** @param {Element} into @param {readonly Message[]} messages */
export function drawSequence(into, messages) {
  if (messages.length === 0) {
    into.replaceChildren('No messages yet.')
    return
  }
  const kinds = [...new Set(messages.flatMap(({ from, to }) => [kindOf(from), kindOf(to)]))].sort(
    (a, b) => place(a) - place(b),
  )
  const x = (/** @type {string} */ address) => kinds.indexOf(kindOf(address)) * COLUMN_PX + COLUMN_PX / 2
  const width = kinds.length * COLUMN_PX
  const height = messages.length * ROW_PX + 10
  const label = `${messages.length} messages between ${kinds.join(', ')}`
  const head = shape('svg', { class: 'sequence heads', width, height: HEAD_PX, 'aria-hidden': 'true' })
  const svg = shape('svg', { class: 'sequence', width, height, role: 'img', 'aria-label': label })
  for (const kind of kinds) {
    head.append(shape('text', { class: 'who', x: x(kind), y: 18, 'text-anchor': 'middle' }, kind))
    svg.append(shape('line', { class: 'life', x1: x(kind), x2: x(kind), y1: 0, y2: height }))
  }
  messages.forEach(({ from, to, event, at }, index) => {
    svg.append(arrow(x(from), x(to), (index + 1) * ROW_PX - 6, event, at))
  })
  const atEnd = into.scrollTop + into.clientHeight >= into.scrollHeight - ROW_PX
  into.replaceChildren(head, svg)
  // Does not scroll while an earlier message is being read.
  if (atEnd) into.scrollTop = into.scrollHeight
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} y
 * @param {string} event
 * @param {number} at
 */
function arrow(from, to, y, event, at) {
  const group = shape('g', { class: 'message' })
  const self = from === to
  const end = self ? from + 24 : to
  const tip = end > from ? -5 : 5
  group.append(
    shape('title', {}, `${new Date(at).toISOString()} ${event}`),
    shape('line', { x1: from, x2: end, y1: y, y2: y }),
    shape('path', { d: `M${end} ${y}l${tip} -4v8z` }),
    shape('text', { x: self ? from + 6 : (from + end) / 2, y: y - 4, 'text-anchor': self ? 'start' : 'middle' }, event),
  )
  return group
}
