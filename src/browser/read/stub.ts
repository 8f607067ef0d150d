import { hasArea, viewport } from './boxes.ts'
import { collapse } from './dom.ts'
import { choiceItem, type Item } from './item.ts'
import * as raw from './raw.ts'

/** Children of a container with more than this many are read only when they are needed, where they are far from view. */
export const LONG_LIST_MIN = 100
/** In a document of fewer elements everything is read. */
const LONG_DOCUMENT_MIN = 3_000
/** What a line of a control takes beside its words. */
const CONTROL_CHARS = 45
const URL_CHARS_MAX = 150
const CONTROLS = 'a[href], button, input, select, textarea, [role], [tabindex], [onclick]'

/** A placeholder for an element of a long list whose content has not been read. */
export interface Stub extends Item {
  readonly isStub: true
  readonly expand: () => readonly Item[]
}
export const isStub = (item: Item): item is Stub => 'isStub' in item

/** Whether a container is so long that what is far from view in it can wait. */
export const isLongList = (element: Element): boolean =>
  raw.childElementCount(element) > LONG_LIST_MIN &&
  raw.page('getElementsByTagName')('*').length > LONG_DOCUMENT_MIN &&
  raw.querySelector(element, '[rowspan]') === null

/** More than a screen away from what is seen. */
export function isFar(element: Element): boolean {
  const { bottom } = viewport()
  const box = raw.getBoundingClientRect(element)
  return hasArea(box) && (box.bottom < -bottom || box.top > 2 * bottom)
}

export const stubOf = (element: Element, expand: () => readonly Item[]): Stub => ({
  ...choiceItem(element, '', false),
  role: 'stub',
  isStub: true,
  expand,
})

/** At least as many characters and lines as will be read in it. */
export function extentOf({ element }: Stub, interactive: boolean): { chars: number; lines: number } {
  const controls = raw.querySelectorAll(element, CONTROLS)
  let chars = 0
  for (const control of controls) {
    const url = raw.getAttribute(control, 'href')?.length ?? 0
    chars += CONTROL_CHARS + Math.min(url, URL_CHARS_MAX) + (raw.textContent(control)?.length ?? 0)
  }
  if (interactive) return { chars, lines: controls.length }
  const cells = raw.childElementCount(element) * 4
  return { chars: chars + CONTROL_CHARS + cells + (raw.textContent(element)?.length ?? 0), lines: controls.length + 1 }
}

export const textOfStub = ({ element }: Stub): string => collapse(raw.textContent(element) ?? '').toLowerCase()
