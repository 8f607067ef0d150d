/**
 * What elements and documents say of themselves, by the accessors of their prototypes: a field called `childNodes` takes
 * the place of its form's own property, in our world, too, and an image called `body` that of its document's.
 */

type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T]

/** Of the prototype that has it. */
const accessor =
  <T extends object, K extends keyof T>(prototype: T, name: K) =>
  (of: T): T[K] =>
    getters(prototype, name).call(of) as T[K]

const known = new Map<object, Map<PropertyKey, () => unknown>>()

function getters(prototype: object, name: PropertyKey): () => unknown {
  const all = known.get(prototype) ?? new Map<PropertyKey, () => unknown>()
  known.set(prototype, all)
  const get = all.get(name) ?? Object.getOwnPropertyDescriptor(prototype, name)?.get
  if (!get) throw new Error(`No accessor ${String(name)}`)
  all.set(name, get)
  return get
}

const method = <T extends object, K extends Methods<T>>(
  prototype: T,
  name: K,
): T[K] extends (...args: infer A) => infer R ? (of: T, ...args: A) => R : never => {
  const call = prototype[name] as (...args: unknown[]) => unknown
  return ((of: T, ...args: unknown[]) => Reflect.apply(call, of, args)) as never
}

export const localName = accessor(Element.prototype, 'localName')
export const shadowRoot = accessor(Element.prototype, 'shadowRoot')
export const slot = accessor(Element.prototype, 'slot')
export const assignedSlot = accessor(Element.prototype, 'assignedSlot')
export const children = accessor(Element.prototype, 'children')
export const childElementCount = accessor(Element.prototype, 'childElementCount')
export const previousElementSibling = accessor(Element.prototype, 'previousElementSibling')
export const scrollTop = accessor(Element.prototype, 'scrollTop')
export const scrollLeft = accessor(Element.prototype, 'scrollLeft')
export const scrollHeight = accessor(Element.prototype, 'scrollHeight')
export const scrollWidth = accessor(Element.prototype, 'scrollWidth')
export const clientHeight = accessor(Element.prototype, 'clientHeight')
export const clientWidth = accessor(Element.prototype, 'clientWidth')
export const id = accessor(Element.prototype, 'id')
export const className = accessor(Element.prototype, 'className')
export const childNodes = accessor(Node.prototype, 'childNodes')
export const parentNode = accessor(Node.prototype, 'parentNode')
export const parentElement = accessor(Node.prototype, 'parentElement')
export const textContent = accessor(Node.prototype, 'textContent')
export const isConnected = accessor(Node.prototype, 'isConnected')
export const nodeType = accessor(Node.prototype, 'nodeType')
export const getRootNode = method(Node.prototype, 'getRootNode')
export const contains = method(Node.prototype, 'contains')
export const getAttribute = method(Element.prototype, 'getAttribute')
export const getAttributeNames = method(Element.prototype, 'getAttributeNames')
export const hasAttribute = method(Element.prototype, 'hasAttribute')
export const hasAttributes = method(Element.prototype, 'hasAttributes')
export const getBoundingClientRect = method(Element.prototype, 'getBoundingClientRect')
export const checkVisibility = method(Element.prototype, 'checkVisibility')
export const matches = method(Element.prototype, 'matches') as (of: Element, selectors: string) => boolean
export const closest = method(Element.prototype, 'closest') as (of: Element, selectors: string) => Element | null
export const querySelector = method(Element.prototype, 'querySelector') as (
  of: Element,
  selectors: string,
) => Element | null
export const querySelectorAll = method(Element.prototype, 'querySelectorAll') as (
  of: Element,
  selectors: string,
) => NodeListOf<Element>
export const tabIndex = accessor(HTMLElement.prototype, 'tabIndex')
export const innerText = accessor(HTMLElement.prototype, 'innerText')
export const isContentEditable = accessor(HTMLElement.prototype, 'isContentEditable')

/** The same of the document: an accessor's value, or a method for it. */
export function page<K extends keyof Document>(name: K): Document[K] {
  let prototype: object | null = Document.prototype
  while (prototype && !Object.hasOwn(prototype, name)) prototype = Object.getPrototypeOf(prototype) as object | null
  const { get, value } = Object.getOwnPropertyDescriptor(prototype ?? {}, name) ?? {}
  return (get ? get.call(document) : typeof value === 'function' ? value.bind(document) : value) as Document[K]
}
