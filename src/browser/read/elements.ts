import { hasArea, isUnseen } from './boxes.ts'
import { parentOf } from './dom.ts'
import { labelsOf } from './labels.ts'
import { labelText, nameOf } from './names.ts'
import * as raw from './raw.ts'
import { isEditingHost, roleOf } from './roles.ts'

/** Questions about single elements. */

/** Smaller pictures without a text say nothing. */
const PICTURE_PX_MIN = 24

export const isFrame = (element: Element): boolean =>
  raw.localName(element) === 'iframe' || raw.localName(element) === 'frame'

export const isPageElement = (element: Element): boolean =>
  element === raw.page('body') || element === raw.page('documentElement')

/** Of a frame that is a text editor as a whole. */
export const isDesigned = (element: Element): boolean => element === raw.page('body') && raw.page('designMode') === 'on'

export const isNamed = (element: Element): boolean =>
  raw.hasAttribute(element, 'aria-label') && (raw.hasAttribute(element, 'role') || isEditingHost(element))

const isToggle = (element: Element | null): element is HTMLInputElement =>
  element instanceof HTMLInputElement && /^(checkbox|radio|file)$/.test(element.type)

/** The control that a label is drawn in the place of. */
export function hiddenToggle(label: Element): Element | null {
  const control = label instanceof HTMLLabelElement ? label.control : null
  return isToggle(control) && isUnseen(control) ? control : null
}

/** Whether its label is drawn in its place. */
export const hasLabelInstead = (element: Element): boolean =>
  isToggle(element) && labelsOf(element).some((label) => !isUnseen(label)) && isUnseen(element)

export const labelsControl = (element: Element): boolean =>
  element instanceof HTMLLabelElement && element.control !== null

/** Whether it is a label whose control is drawn as well, and called so. */
export function namesShownControl(element: Element): boolean {
  const control = element instanceof HTMLLabelElement ? element.control : null
  if (!control || isUnseen(control)) return false
  return nameOf(control, roleOf(control)).includes(labelText(element, control))
}

/** Code editors and combo boxes take what is typed in an invisible field. */
export function takesTypingUnseen(element: Element): boolean {
  const isEditor = element instanceof HTMLTextAreaElement && !raw.hasAttribute(element, 'aria-hidden')
  const isSearch = element instanceof HTMLInputElement && raw.getAttribute(element, 'role') === 'combobox'
  if (!isEditor && !isSearch && !hasEditContext(element)) return false
  return raw.tabIndex(element as HTMLElement) >= 0 && getComputedStyle(element).visibility === 'visible'
}

/** It is typed into, and its script draws the text somewhere else. */
const hasEditContext = (element: Element): boolean => Boolean((element as { editContext?: unknown }).editContext)

/** Whether a widget is drawn instead of a field that is neither visible nor reachable by keyboard. */
export const isReplaced = (element: Element, style: CSSStyleDeclaration): boolean =>
  (style.opacity === '0' && (raw.tabIndex(element as HTMLElement) < 0 || raw.hasAttribute(element, 'hidden'))) ||
  raw.matches(
    element,
    '[aria-hidden=true][tabindex="-1"]:read-only:not(select, input[type=checkbox], input[type=radio])',
  )

/** Out of shadow trees, too. */
export function isWithin(element: Element, ancestor: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) if (at === ancestor) return true
  return false
}

export function isDrawnText(node: Text): boolean {
  const range = raw.page('createRange')()
  range.selectNodeContents(node)
  return hasArea(range.getBoundingClientRect())
}

/** How far a box is scrolled, where it can be. */
export function scrollState(element: Element): string {
  const [scrollTop, scrollLeft] = [raw.scrollTop(element), raw.scrollLeft(element)]
  const [scrollHeight, scrollWidth] = [raw.scrollHeight(element), raw.scrollWidth(element)]
  const [clientHeight, clientWidth] = [raw.clientHeight(element), raw.clientWidth(element)]
  const down = scrollHeight - clientHeight
  const right = scrollWidth - clientWidth
  if (down > 1) return `scrolled ${Math.round(scrollTop)} of ${down} px`
  return right > 1 ? `scrolled ${Math.round(scrollLeft)} of ${right} px across` : ''
}

/** Whether a picture without a name is worth a line; one that is meant to say nothing is not. */
export function isPictureWorthALine(image: Element): boolean {
  if (image.getAttribute('alt')) return true
  if (image.getAttribute('alt') === '' && !image.hasAttribute('title')) return false
  const { width, height } = image.getBoundingClientRect()
  return width >= PICTURE_PX_MIN && height >= PICTURE_PX_MIN
}

/** The areas of an image map are drawn nowhere, but there they are. */
export function areasOf(image: Element): Element[] {
  const name = image.getAttribute('usemap')?.replace(/^.*#/, '')
  if (!name) return []
  const map = raw.page('querySelector')(`map[name="${CSS.escape(name)}"], map[id="${CSS.escape(name)}"]`)
  return [...(map?.querySelectorAll('area') ?? [])]
}
