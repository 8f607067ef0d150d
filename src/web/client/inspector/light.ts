export interface Lit {
  /** The innermost state that is lit. */
  readonly state: Element | null
  /** The words on the arrows that are lit: the event, and what was decided on the way. */
  readonly words: readonly string[]
}

/**
 * Lights the states that an actor is in, the arrow by which it came there, and those that lead on. `before`: the states
 * that it came from.
 */
export function light(drawing: Element, states: readonly string[], event: string, before: readonly string[]): Lit {
  let lit: Element | null = null
  for (const state of drawing.querySelectorAll('.state')) {
    const on = states.includes(state.getAttribute('data-state') ?? '')
    state.classList.toggle('on', on)
    if (on) state.setAttribute('aria-current', 'true')
    else state.removeAttribute('aria-current')
    // Inner states come after those that they are in.
    if (on) lit = state
  }
  const edges = [...drawing.querySelectorAll('.edge')]
  const taken = edges.filter((edge) => eventsOf(edge).includes(event) && starts(edge, before))
  const there = taken.filter((edge) => states.includes(end(edge, 'to')))
  // It went on at once from where the event led: the arrow in between, and those that lead from there to here.
  // One that leads elsewhere, as to an end, was not taken.
  const passed = there.length > 0 ? [] : taken.flatMap((edge) => wayBy(edge, onwards(edges, end(edge, 'to'), states)))
  const on = new Set([...there, ...passed])
  for (const edge of edges) {
    edge.classList.toggle('on', on.has(edge))
    edge.classList.toggle('next', leaves(edge, states))
  }
  // Others do not cover them.
  for (const edge of drawing.querySelectorAll('.edge.next, .edge.on')) edge.parentElement?.append(edge)
  return { state: lit, words: [...on].flatMap((edge) => wordsOf(edge, event)) }
}

/** Of several words with the same name the first. */
function wordsOf(edge: Element, event: string): string[] {
  const words = listOf(edge, 'labels')
  const named = (type: string) => words.find((each) => each === type || each.startsWith(`${type} [`))
  const found = named(event) ?? named('always')
  return found === undefined ? [] : [found]
}

/** From one of the states, or from any inside of one. */
const leaves = (edge: Element, states: readonly string[]): boolean => {
  const from = end(edge, 'from')
  return from === '*' ? states.length > 0 : states.includes(from.replace(/\.\*$/, ''))
}

const wayBy = (edge: Element, further: readonly Element[]): Element[] =>
  further.length === 0 ? [] : [edge, ...further]

const onwards = (edges: readonly Element[], from: string, states: readonly string[]): Element[] =>
  edges.filter(
    (edge) => eventsOf(edge).includes('always') && end(edge, 'from') === from && states.includes(end(edge, 'to')),
  )

function starts(edge: Element, before: readonly string[]): boolean {
  const from = end(edge, 'from')
  return before.length === 0 || from.endsWith('*') || before.includes(from)
}

const listOf = (edge: Element, what: 'events' | 'labels'): string[] =>
  (edge.getAttribute(`data-${what}`) ?? '').split(' | ')
const eventsOf = (edge: Element): string[] => listOf(edge, 'events')
const end = (edge: Element, side: 'from' | 'to'): string => pathOf(edge.getAttribute(`data-${side}`) ?? '')

/** The path of a state in its machine: `task.running.dispatching` is `running.dispatching`. */
const pathOf = (id: string): string => id.split('.').slice(1).join('.')
