/** Lights the states that an actor is in, and the arrow by which it came there. */

/**
 * @param {Element} drawing
 * @param {readonly string[]} states
 * @param {string} event
 * @param {readonly string[]} before
 */
export function light(drawing, states, event, before) {
  for (const state of drawing.querySelectorAll('.state')) {
    const on = states.includes(state.getAttribute('data-state') ?? '')
    state.classList.toggle('on', on)
    if (on) state.setAttribute('aria-current', 'true')
    else state.removeAttribute('aria-current')
  }
  const edges = [...drawing.querySelectorAll('.edge')]
  const taken = edges.filter((edge) => eventsOf(edge).includes(event) && starts(edge, before))
  const there = taken.filter((edge) => states.includes(end(edge, 'to')))
  // It went on at once from where the event led: the arrow in between, and those that lead from there to here.
  const passed = there.length > 0 ? [] : taken.flatMap((edge) => [edge, ...onwards(edges, end(edge, 'to'), states)])
  const on = new Set([...there, ...passed])
  for (const edge of edges) edge.classList.toggle('on', on.has(edge))
}

/** @param {readonly Element[]} edges @param {string} from @param {readonly string[]} states */
const onwards = (edges, from, states) =>
  edges.filter(
    (edge) => eventsOf(edge).includes('always') && end(edge, 'from') === from && states.includes(end(edge, 'to')),
  )

/** @param {Element} edge @param {readonly string[]} before */
function starts(edge, before) {
  const from = end(edge, 'from')
  return before.length === 0 || from.endsWith('*') || before.includes(from)
}

/** @param {Element} edge */
const eventsOf = (edge) => (edge.getAttribute('data-events') ?? '').split(' | ')
/** @param {Element} edge @param {'from' | 'to'} side */
const end = (edge, side) => pathOf(edge.getAttribute(`data-${side}`) ?? '')

/** The path of a state in its machine: `task.running.thinking` is `running.thinking`. @param {string} id */
const pathOf = (id) => id.split('.').slice(1).join('.')
