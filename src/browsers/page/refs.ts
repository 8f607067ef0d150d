import { ToolError } from './cdp.ts'

/** What is known of an element since it was last read. */
export interface Known {
  readonly backendNodeId: number
  /** As a model would call it: `button "Buy"`. */
  readonly label: string
}

/** Counts the references of all the windows of a task, so that one of another window is never mistaken. */
export interface RefCounter {
  next: number
}

/**
 * The references that a model uses for elements. An element keeps its reference for as long as its document lives, and
 * no reference is ever given twice: one from an earlier document fails, it never means another element.
 */
export class Refs {
  readonly #counter: RefCounter
  #known = new Map<string, Known>()
  #byNode = new Map<number, string>()

  constructor(counter: RefCounter = { next: 1 }) {
    this.#counter = counter
  }

  /** The element's reference. */
  of(backendNodeId: number, label: string): string {
    const ref = this.#byNode.get(backendNodeId) ?? `e${this.#counter.next++}`
    this.#byNode.set(backendNodeId, ref)
    this.#known.set(ref, { backendNodeId, label })
    return ref
  }

  /** Takes `e12`, and also `12`, `ref=e12` and `[e12]`, as models write it. Throws what to do when it is not known. */
  get(ref: string): { ref: string; known: Known } {
    const digits = /^\W*(?:ref[=_\s]*)?e?(\d+)\W*$/i.exec(ref)?.[1]
    const name = digits ? `e${digits}` : ref
    const known = this.#known.get(name)
    if (known) return { ref: name, known }
    if (digits && Number(digits) < this.#counter.next) throw stale(name)
    throw new ToolError(`There is no element ${name.slice(0, 100)}. Read the page to get references.`)
  }

  /** The document is another one. */
  clear(): void {
    this.#known.clear()
    this.#byNode.clear()
  }
}

export const stale = (ref: string): ToolError =>
  new ToolError(`Element ${ref} is no longer on the page. Read the page again.`)
