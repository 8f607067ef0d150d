import { withoutMiddle } from '../../../machines/short-address.ts'
import * as raw from './raw.ts'

/** The document as it is drawn: shadow trees in place of what they cover, slots with what is assigned to them. */

import { SHOWN_TYPE } from './shown-type.ts'

/** Closed shadow roots, which the tools find and tell. */
const closedRoots = new WeakMap<Element, ShadowRoot>()
/** How many children an element had when it was found to have no closed root. */
const rootless = new WeakMap<Element, number>()

export const addRoot = (host: Element, root: ShadowRoot): void => {
  closedRoots.set(host, root)
}
export const setRootless = (host: Element): void => {
  rootless.set(host, raw.childNodes(host).length)
}

export const rootOf = (element: Element): ShadowRoot | null =>
  raw.shadowRoot(element) ?? closedRoots.get(element) ?? null

export function childrenOf(element: Element): Iterable<Node> {
  const root = rootOf(element)
  if (root) return root.childNodes
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes()
    if (assigned.length > 0) return assigned
    // A slot of a closed root tells nothing of what is assigned to it.
    const inner = raw.getRootNode(element)
    const host = inner instanceof ShadowRoot && inner.mode === 'closed' ? inner.host : null
    if (host) {
      const own = [...raw.childNodes(host)].filter((node) => slotNameOf(node) === element.name)
      if (own.length > 0) return own
    }
  }
  return raw.childNodes(element)
}

const slotNameOf = (node: Node): string | null =>
  node instanceof Element ? raw.slot(node) : raw.nodeType(node) === Node.TEXT_NODE ? '' : null

/** The element around it, out of shadow trees too. */
export function parentOf(node: Node): Element | null {
  const slot = node instanceof Element ? raw.assignedSlot(node) : node instanceof Text ? node.assignedSlot : null
  if (slot) return slot
  const parent = raw.parentNode(node)
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null
}

const PLAIN_HOSTS = /^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/

/**
 * Whether the element may have a closed shadow root: one of the page's own making, or one that takes room although
 * nothing in it does.
 */
export function maySuspect(element: Element, hasBox: boolean, drewAnything: boolean): boolean {
  if (rootOf(element) || !(element instanceof HTMLElement)) return false
  if (rootless.get(element) === raw.childNodes(element).length) return false
  if (raw.localName(element).includes('-')) return true
  return hasBox && !drewAnything && PLAIN_HOSTS.test(raw.localName(element))
}

const NEVER = new Set(
  'script style noscript template head meta link title base param source track noembed rp datalist defs symbol metadata linearGradient radialGradient clipPath mask filter desc'.split(
    ' ',
  ),
)
export const isNeverDrawn = (element: Element): boolean => NEVER.has(raw.localName(element))

/** Elements within elements are entered down to here: each takes room on the stack. */
export const DEPTH_MAX = 600

/** The text in an element that is too deep to be entered, without what is not drawn. */
export function deepText(element: Element): string {
  const texts = raw.page('createTreeWalker')(element, NodeFilter.SHOW_TEXT)
  let all = ''
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const around = raw.parentElement(node)
    if (around && !isNeverDrawn(around) && raw.checkVisibility(around)) all += `${(node as Text).data} `
  }
  return all
}

export const collapse = (text: string): string => text.replace(/[\s\u200b\u2060\ufeff]+/g, ' ').trim()
/** Cut to `max` characters, visibly. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** Without the blanks before line ends. */
export const withoutLineEnds = (text: string): string =>
  text
    .split('\n')
    .map((line, at, { length }) => (at === length - 1 ? line : withoutEnd(line, BLANKS)))
    .join('\n')
const BLANKS = ' \t'

/** Without the characters that it ends with: a regular expression would begin anew at each of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

/** Longer addresses are no use to anyone: the service takes no more than URL_CHARS_MAX. */
const ADDRESS_CHARS_MAX = 4_000
const TITLE_CHARS_MAX = 1_000

/** What the document is called and where it is, within limits. */
export const titleAndUrl = (): { title: string; url: string } => ({
  title: withoutMiddle(raw.page('title'), TITLE_CHARS_MAX),
  url: withoutMiddle(location.href, ADDRESS_CHARS_MAX),
})

/** Glyphs of icon fonts lie where Unicode has no characters: they say nothing. */
export const withoutIcons = (text: string): string => text.replace(/[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/gu, '')

export const deepActive = (): Element | null => {
  let active = raw.page('activeElement')
  for (let root = active && rootOf(active); root?.activeElement; root = active && rootOf(active))
    active = root.activeElement
  return active === raw.page('body') || active === raw.page('documentElement') ? null : active
}

/** The type of the document that this frame shows: `application/pdf`, `text/html`. */
export const shownType = (): string => raw.page('documentElement')?.getAttribute(SHOWN_TYPE) ?? raw.page('contentType')
