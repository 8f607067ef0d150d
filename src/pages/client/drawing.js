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
  for (const edge of drawing.querySelectorAll('.edge')) {
    edge.classList.toggle('on', leads(edge, states, event, before))
  }
}

/**
 * @param {Element} edge
 * @param {readonly string[]} states
 * @param {string} event
 * @param {readonly string[]} before
 */
function leads(edge, states, event, before) {
  const events = (edge.getAttribute('data-events') ?? '').split(' | ')
  if (!events.includes(event)) return false
  const to = pathOf(edge.getAttribute('data-to') ?? '')
  const from = pathOf(edge.getAttribute('data-from') ?? '')
  return states.includes(to) && (before.length === 0 || from === '*' || before.includes(from))
}

/** The path of a state in its machine: `task.running.thinking` is `running.thinking`. @param {string} id */
const pathOf = (id) => id.split('.').slice(1).join('.')
