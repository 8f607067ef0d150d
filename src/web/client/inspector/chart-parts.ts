/** The states and the words on arrows that have a sentence, of those that are seen: states first. */
function partsOf(drawing: Element): SVGElement[] {
  const all = ['.state', 'text'].flatMap((what) => [...drawing.querySelectorAll<SVGElement>(`${what}[data-sentence]`)])
  return all.filter((part) => part.getClientRects().length > 0)
}

/**
 * Makes the titles of a drawing explanations, which keys and fingers reach, too: one part of the drawing is a stop of the
 * Tab key, and arrow keys lead to the others.
 */
export function makeReachable(drawing: SVGElement): void {
  drawing.setAttribute('role', 'group')
  for (const title of drawing.querySelectorAll('title')) {
    const part = title.parentElement
    if (!part) continue
    const name = part.querySelector('.key')?.textContent ?? part.lastChild?.textContent ?? ''
    part.setAttribute('data-sentence', title.textContent ?? '')
    part.setAttribute('role', 'img')
    part.setAttribute('aria-label', name)
    part.setAttribute('tabindex', '-1')
    title.remove()
  }
}

/** The part that the Tab key leads to; `null`: the first one. */
export function setStop(drawing: Element, part: Element | null): void {
  for (const other of drawing.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1')
  const stop = part ?? partsOf(drawing)[0]
  stop?.setAttribute('tabindex', '0')
}

const MOVES: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Goes from a part that has the focus to the next one; not handled: the drawing scrolls. */
export function moveFocus(drawing: Element, event: KeyboardEvent): void {
  const parts = partsOf(drawing)
  const at = (parts as readonly (Element | null)[]).indexOf(document.activeElement)
  const by = MOVES[event.key]
  if (at < 0 || by === undefined) return
  event.preventDefault()
  const next = parts[(at + by + parts.length) % parts.length]
  setStop(drawing, next ?? null)
  next?.focus()
}
