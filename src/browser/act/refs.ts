import { ToolError } from './cdp.ts'

/** What numbers the references of all the windows of a task, so that one of another window is never mistaken. */
export interface RefCounter {
  /** Of the next element of a main frame. */
  next: number
  /** Of the next document in a frame within a page. */
  nextFrame: number
}

/** A reference as it is written: `e12` in the main frame, `f2e17` in the second document that a frame had. */
export interface ParsedRef {
  readonly ref: string
  readonly frame: number | null
  readonly element: number
}

/** Takes `e12` and `f2e17`, and also `12`, `ref=e12` and `[e12]`, as models write them. `null` for anything else. */
export function parseRef(text: string): ParsedRef | null {
  const [, frame, element] = /^\W*(?:ref[=_\s]*)?(?:f(\d+))?(?:e|(?<!f\d+))(\d+)\W*$/i.exec(text) ?? []
  if (element === undefined) return null
  const parsed = { frame: frame === undefined ? null : Number(frame), element: Number(element) }
  return { ...parsed, ref: refName(parsed.frame, parsed.element) }
}

export const refName = (frame: number | null, element: number): string =>
  frame === null ? `e${element}` : `f${frame}e${element}`

/** [G12] A ref whose element is gone. */
export class StaleRef extends ToolError {}
export const stale = (ref: string): StaleRef =>
  new StaleRef(`Element ${ref} is no longer on the page. Read the page again.`)
export const unknown = (text: string): ToolError =>
  new ToolError(`There is no element ${text.slice(0, 100)}. Read the page to get references.`)
