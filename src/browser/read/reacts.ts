import { hoverParents, isDelegated, reactionsOf } from './listeners.ts'
import * as raw from './raw.ts'
import { isControl } from './roles.ts'

/** Of something with one meaning: so little is in it. */
const TEXT_MAX = 200
const CONTROLS_MAX = 2
/** A card that is meant to be clicked may hold more. */
const TARGETS_LOOKED_AT_MAX = 1_500
/** So many children that look alike are many things. */
const ALIKE_MIN = 3
const CARD_TEXT_MAX = 600
const CARD_CONTROLS_MAX = 8
const INNER = 'a[href], button, input, select, textarea, [role=button], [role=link], [role=checkbox], [tabindex="0"]'
const ACTION_NAMES = /(^|[-_ ])(btn|button|clickable|toggle|close|dropdown-toggle)([-_ ]|$)/i
/** Where things are dropped: often only what is dragged listens, and the place is known by its class alone. */
const DROPPED_ON = /(^|[-_ ])(droppable|drop-?(zone|area|target))([-_ ]|$)/i
const ACTION_ATTRIBUTES = [
  'onclick',
  'jsaction',
  'ng-click',
  'data-action',
  'data-toggle',
  'data-bs-toggle',
  'data-href',
  'data-dismiss',
]

/** What a walk knows of the document as a whole. */
export interface Reactivity {
  readonly hoverParents: ReadonlySet<Element>
  readonly isDelegated: boolean
}
export const reactivity = (): Reactivity => ({ hoverParents: hoverParents(), isDelegated: isDelegated() })

export type Reaction = 'click' | 'hover' | 'drag' | 'drop' | null

/**
 * What an element without a role of its own is good for. `cursor`: how the mouse looks over it, unless something around
 * it has taken that for itself. `isDelegate`: a container around it listens for clicks on what is in it.
 */
export function reactionOf(element: Element, known: Reactivity, cursor: string, isDelegate: boolean): Reaction {
  const reacts = reactionsOf(element)
  const isPointer = cursor === 'pointer'
  const isDirect = reacts !== null && (reacts.click || reacts.double || reacts.menu)
  const isMeant =
    isDirect ||
    isPointer ||
    (isDelegate && raw.textContent(element)?.trim()) ||
    (raw.hasAttributes(element) && ACTION_ATTRIBUTES.some((name) => raw.hasAttribute(element, name))) ||
    (known.isDelegated && isNamedLikeControl(element))
  if (isMeant && !holdsTargets(element, isPointer)) {
    if (isDirect && isPointer ? isOneThing(element, CARD_TEXT_MAX, CARD_CONTROLS_MAX) : isSmall(element)) return 'click'
  }
  const isDragged =
    raw.getAttribute(element, 'draggable') === 'true' || reacts?.drag || /^(grab|move|[nsew]+-resize)$/.test(cursor)
  if (isDragged && (isSmall(element) || raw.getAttribute(element, 'draggable') === 'true')) return 'drag'
  if (takesDrops(element)) return 'drop'
  if (known.hoverParents.has(element) || (reacts?.hover && isSmall(element))) return 'hover'
  return null
}

/** Whether files, or what is dragged, can be dropped on the element itself. */
export const takesDrops = (element: Element): boolean =>
  reactionsOf(element)?.drop === true || DROPPED_ON.test(raw.getAttribute(element, 'class') ?? '')

const isSmall = (element: Element): boolean => isOneThing(element, TEXT_MAX, CONTROLS_MAX)

/** Whether what reacts looks as if it could be dragged as well. */
export const isGrabbed = (reaction: Reaction, cursor: string): boolean =>
  reaction === 'click' && (cursor === 'grab' || cursor === 'move')

/** Controls whose own content is one thing with them. */
const CLOSED = /^(button|link|checkbox|radio|switch|menuitem|menuitemcheckbox|menuitemradio|option|tab|disclosure)$/

/** Whether a click anywhere in it means it, not one of the things in it. A list that can have the focus is no such thing. */
export const claims = (element: Element, role: string, cursor: string): boolean =>
  CLOSED.test(role) ||
  (!isControl(role) &&
    isOneThing(element, CARD_TEXT_MAX, CARD_CONTROLS_MAX) &&
    !holdsTargets(element, cursor === 'pointer'))

const OF_ITS_OWN = '[role]:not([role=presentation], [role=none], [role=img]), [aria-label]:not(svg, img), [tabindex]'
const ITEMS = 'li, tr, td, option'

/**
 * Whether it listens, or has its mouse pointer, on behalf of what is in it: several items, or things that are something
 * themselves.
 */
function holdsTargets(element: Element, isPointer: boolean): boolean {
  if (raw.childElementCount(element) === 0) return false
  const isList = /^(ul|ol|menu|table|tbody)$/.test(raw.localName(element))
  if (
    raw.querySelectorAll(element, ITEMS).length > (isList ? 0 : 1) ||
    raw.querySelectorAll(element, OF_ITS_OWN).length > 1
  )
    return true
  const inner = [...raw.querySelectorAll(element, '*')].slice(0, TARGETS_LOOKED_AT_MAX)
  let likeTheFirst = 0
  const [first] = raw.children(element)
  for (const child of raw.children(element)) {
    if (first && raw.localName(child) === raw.localName(first) && raw.className(child) === raw.className(first))
      likeTheFirst += 1
  }
  if (likeTheFirst >= ALIKE_MIN && raw.textContent(element)?.trim() && !isInline(first)) return true
  if (!isPointer && (textBlocksIn(element) > 1 || inner.some((each) => hasManyAlike(each)))) return true
  const isTarget = (each: Element) =>
    reactionsOf(each)?.click ||
    (!isPointer && (isNamedLikeControl(each) || getComputedStyle(each).cursor === 'pointer'))
  return countsTo(inner, isPointer ? 2 : 1, isTarget)
}

/** Whether so many fit; it looks no further. */
function countsTo(all: readonly Element[], wanted: number, fits: (each: Element) => unknown): boolean {
  let count = 0
  return all.some((each) => fits(each) && ++count >= wanted)
}

/** So many children of one kind, each with its own text, are the days of a month or the keys of a pad. */
const MANY_ALIKE_MIN = 6

function hasManyAlike(element: Element): boolean {
  const [first] = raw.children(element)
  if (!first || raw.childElementCount(element) < MANY_ALIKE_MIN || isInline(first)) return false
  const alike = [...raw.children(element)].filter(
    (child) => raw.localName(child) === raw.localName(first) && raw.textContent(child)?.trim(),
  )
  return alike.length >= MANY_ALIKE_MIN
}

const textBlocksIn = (element: Element): number =>
  [...raw.children(element)].filter((child) => !isInline(child) && raw.textContent(child)?.trim()).length

const isInline = (element: Element | undefined): boolean =>
  element !== undefined && getComputedStyle(element).display === 'inline'

/** Whether an element listens for clicks on the many things in it. */
export function delegates(element: Element): boolean {
  if (element === raw.page('body') || element === raw.page('documentElement')) return false
  const reacts = reactionsOf(element)
  if (!reacts?.click || reacts.isRoot) return false
  return /^(ul|ol|dl|table|tbody|tr|svg|map|menu)$/.test(raw.localName(element)) || isShorterThan(element, 2_000)
}

const isNamedLikeControl = (element: Element): boolean => ACTION_NAMES.test(raw.getAttribute(element, 'class') ?? '')

const isOneThing = (element: Element, chars: number, controls: number): boolean =>
  isShorterThan(element, chars) && raw.querySelectorAll(element, INNER).length <= controls

/** Looks no further than it must: containers may be large. */
function isShorterThan(element: Element, max: number): boolean {
  const walker = raw.page('createTreeWalker')(element, NodeFilter.SHOW_TEXT)
  let chars = 0
  for (let steps = 0; walker.nextNode(); steps += 1) {
    const parent = walker.currentNode.parentElement
    if (parent && /^(script|style|template|noscript)$/.test(raw.localName(parent))) continue
    chars += ((walker.currentNode as Text).data.trim() || '').length
    if (chars > max || steps > max) return false
  }
  return true
}
