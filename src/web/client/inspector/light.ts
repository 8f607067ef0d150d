export interface Lit {
  /** The innermost state that is lit. */
  readonly state: Element | null
  /** Where the last arrow that is lit begins. */
  readonly source: Element | null
  /** What is seen with it: the states that it came from, and those that it can go to. */
  readonly around: readonly Element[]
  /** The words on the arrows that are lit: the event, and what was decided on the way. */
  readonly words: readonly string[]
}

/**
 * Lights the states that an actor is in, the one that it left, the arrow by which it came, and those that lead on.
 * `before`: the states that it came from.
 */
export function light(drawing: Element, states: readonly string[], event: string, before: readonly string[]): Lit {
  const boxes = new Map([...drawing.querySelectorAll('.state')].map((state) => [pathIn(state), state]))
  let lit: Element | null = null
  for (const [path, state] of boxes) {
    const on = states.includes(path)
    state.classList.toggle('on', on)
    state.classList.toggle('was', !on && before.includes(path) && !state.matches('.composite'))
    if (on) state.setAttribute('aria-current', 'true')
    else state.removeAttribute('aria-current')
    if (on && (lit === null || path.startsWith(pathIn(lit)))) lit = state
  }
  const edges = [...drawing.querySelectorAll('.edge')]
  const isTaken = (edge: Element) => isWayTo(end(edge, 'to'), states, boxes)
  const left = edges.filter((edge) => eventsOf(edge).includes(event) && starts(edge, before))
  const there = left.filter(isTaken)
  // It went on at once from where the event led: the arrow in between, and those that lead from there to here.
  // One that leads elsewhere, as to an end, was not taken.
  const passed =
    there.length > 0 ? [] : left.flatMap((edge) => wayBy(edge, onwards(edges, edge, boxes).filter(isTaken)))
  const on = new Set([...there, ...passed])
  const words = new Map([...drawing.querySelectorAll('.words')].map((each) => [each.getAttribute('data-arrow'), each]))
  const next: Element[] = []
  // From an end nothing leads on, whatever may happen in any state.
  const isOver = drawing.querySelector('.state.final.on') !== null
  for (const edge of edges) {
    const isNext = !isOver && leaves(edge, states)
    const target = boxes.get(end(edge, 'to'))
    if (isNext && target) next.push(target)
    const own = words.get(edge.getAttribute('data-arrow'))
    for (const each of own ? [edge, own] : [edge]) {
      each.classList.toggle('on', on.has(edge))
      each.classList.toggle('next', isNext)
    }
    if (own) nameFirst(own, on.has(edge) ? (wordsOf(edge, event)[0] ?? '') : '')
  }
  // Others do not cover them; where lines share a piece, the one that was taken is seen along its whole way.
  for (const which of ['.edge.next', '.edge.on'])
    for (const edge of drawing.querySelectorAll(which)) edge.parentElement?.append(edge)
  const around = [...drawing.querySelectorAll('.state.was'), ...next]
  const last = [...on].at(-1)
  return {
    state: lit,
    source: (last && boxes.get(end(last, 'from'))) ?? null,
    around,
    words: [...on].flatMap((edge) => wordsOf(edge, event)),
  }
}

/** Of the words of an arrow those of the event that happened come first. */
function nameFirst(words: Element, label: string): void {
  const lines = [...words.querySelectorAll<SVGElement>('text:not(.more)')]
  const shown = lines.filter((line) => !line.hasAttribute('display')).length
  const places = lines.map((line) => Number(line.getAttribute('y'))).sort((a, b) => a - b)
  const asDrawn = lines.toSorted((a, b) => numberOf(a) - numberOf(b))
  const [event = '', guard] = label.split(/ (?=\[)/)
  const happened = asDrawn.find(({ lastChild }) => [label, event, guard].includes(lastChild?.textContent ?? ''))
  const inOrder = [...(happened ? [happened] : []), ...asDrawn.filter((line) => line !== happened)]
  for (const [index, line] of inOrder.entries()) {
    line.classList.toggle('happened', line === happened)
    line.setAttribute('y', `${places[Math.min(index, shown - 1)]}`)
    if (index < shown) line.removeAttribute('display')
    else line.setAttribute('display', 'none')
  }
}

const numberOf = (line: Element): number => Number(line.getAttribute('data-line'))

/** Whether who comes to a state is in these then: inside of it, in what it begins with. */
function isWayTo(to: string, states: readonly string[], boxes: ReadonlyMap<string, Element>): boolean {
  const inside = states.filter((state) => state.startsWith(`${to}.`))
  return states.includes(to) && inside.every((state) => boxes.get(state)?.hasAttribute('data-initial'))
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

/** What may lead on at once from where an arrow leads. */
function onwards(edges: readonly Element[], edge: Element, boxes: ReadonlyMap<string, Element>): Element[] {
  const to = end(edge, 'to')
  const inside = [...boxes].filter(([path, box]) => path.startsWith(`${to}.`) && box.hasAttribute('data-initial'))
  const reached = [to, ...inside.map(([path]) => path)]
  return edges.filter((each) => eventsOf(each).includes('always') && reached.includes(end(each, 'from')))
}

function starts(edge: Element, before: readonly string[]): boolean {
  const from = end(edge, 'from')
  return before.length === 0 || from.endsWith('*') || before.includes(from)
}

const pathIn = (state: Element): string => state.getAttribute('data-state') ?? ''
const listOf = (edge: Element, what: 'events' | 'labels'): string[] =>
  (edge.getAttribute(`data-${what}`) ?? '').split(' | ')
const eventsOf = (edge: Element): string[] => listOf(edge, 'events')
const end = (edge: Element, side: 'from' | 'to'): string => pathOf(edge.getAttribute(`data-${side}`) ?? '')

/** The path of a state in its machine: `task.running.dispatching` is `running.dispatching`. */
const pathOf = (id: string): string => id.split('.').slice(1).join('.')
