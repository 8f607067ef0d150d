import * as raw from './raw.ts'
import type { Internals } from './types.ts'

/**
 * What custom elements tell assistive technology alone (ElementInternals): no script but their own sees it, so the tools
 * ask the protocol and tell it here.
 */

const CUSTOMS_MAX = 200
const told = new WeakMap<Element, Internals>()
let customs = new Set<Element>()

/** The walk came upon an element that may have internals: one of the page's own making that can have the focus. */
export function noteCustom(element: Element): void {
  if (
    !raw.localName(element).includes('-') ||
    raw.hasAttribute(element, 'role') ||
    !raw.hasAttribute(element, 'tabindex')
  )
    return
  if (customs.size < CUSTOMS_MAX) customs.add(element)
}

/** How many of them nobody has asked about. */
export const newCustoms = (): number => [...customs].filter((element) => !told.has(element)).length

export function takeCustoms(): readonly Element[] {
  customs = new Set([...customs].filter((element) => raw.isConnected(element)))
  return [...customs]
}

export function tellInternals(all: readonly Internals[], elements: readonly Element[]): void {
  for (const [at, element] of elements.entries()) told.set(element, all[at] ?? { role: '', name: '', aria: {} })
}

export const internalsOf = (element: Element): Internals | undefined => told.get(element)

/** An `aria-` attribute, or what stands for it. */
export const ariaOf = (element: Element, name: string): string | null =>
  raw.getAttribute(element, `aria-${name}`) ?? told.get(element)?.aria[name] ?? null
