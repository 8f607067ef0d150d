import { aim, reach } from './aim.ts'
import { type Box, isOffCanvas, measure } from './boxes.ts'
import { takeCustoms, tellInternals } from './custom-elements.ts'
import { addRoot, deepActive, rootOf, setRootless, truncate } from './dom.ts'
import { find } from './find.ts'
import { listen } from './listeners.ts'
import { frameOf, look, nameFrame, takeSuspects } from './new-lines.ts'
import { takesDrops } from './reacts.ts'
import { read } from './read.ts'
import { elementOf, isKnown, labelFor, nextNumber, numberFor, startAt } from './redrawn-refs.ts'
import { candidates, targetOf } from './target.ts'
import { pageText } from './text.ts'
import type { Reader } from './types.ts'

/** What the tools ask of a document by value. */
const asked: Reader = {
  read,
  find,
  candidates,
  pageText,
  look,
  labelFor,
  focusedFrame() {
    const active = deepActive()
    return (active && frameOf(active)) ?? null
  },
  aim,
  reach,
  stateOf: (number) => (isKnown(number) ? 'gone' : 'unknown'),
}

/** All that the tools ask of a document. It lives in a world of its own, beside the page's scripts and out of their reach. */
export const createReader = () => ({
  ...asked,
  listen,
  addRoot,
  setRootless,
  takeSuspects,
  takeCustoms,
  tellInternals,
  nameFrame,
  elementOf,
  takesDrops,
  targetOf,
  rootOf,
  /** Where nobody can scroll to. */
  isOffCanvas(box: Box): boolean {
    measure()
    return isOffCanvas(box)
  },
  /** A reference for what a tool came upon by itself. */
  refFor(element: Element, label: string, nextRef: number): { number: number; nextRef: number } {
    startAt(nextRef)
    return { number: numberFor(element, truncate(label, 80)), nextRef: nextNumber() }
  },
})
