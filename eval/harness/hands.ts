import type { Answer } from './relay.ts'
import type { Origins } from './site.ts'
import { excerpt, Unsolved } from './task.ts'

/** A line of the tree by its words, or a reference that is known already. */
export type Target = RegExp | string

export interface ClickHow {
  readonly button?: 'left' | 'right'
  readonly count?: 1 | 2 | 3
  readonly modifiers?: string
}

export interface Spent {
  calls: number
  chars: number
  ms: number
}

/**
 * What a solver can do, whatever browser tools stand behind it. Each answers with all the text that a model would
 * read, and throws `Unsolved` when the call failed.
 */
export interface Hands {
  readonly origins: Origins
  readonly spent: Spent
  /** Opens a path of the run's own site, or an address. */
  open(path?: string): Promise<string>
  /** The page as a tree. */
  look(): Promise<string>
  /** The page as text. */
  text(): Promise<string>
  /** The reference of the first line that matches: in `tree`, or in the page as it is now. */
  ref(line: RegExp, tree?: string): Promise<string>
  click(target: Target, how?: ClickHow): Promise<string>
  hover(target: Target): Promise<string>
  /** Sets a form control to a value, replacing what it holds. */
  fill(target: Target, value: string | number | boolean): Promise<string>
  /** Types where the focus is, or into the target. */
  type(text: string, target?: Target): Promise<string>
  press(keys: string, target?: Target): Promise<string>
  drag(from: Target, to: Target): Promise<string>
  dialog(accept: boolean, text?: string): Promise<string>
  wait(seconds: number): Promise<string>
  /** A tool of this project by name; other tool sets throw `NotExpressible`. */
  call(tool: string, input?: object): Promise<string>
  /** The same, for answers that may be failures. */
  attempt(tool: string, input?: object): Promise<Answer>
}

export class NotExpressible extends Error {
  override readonly name = 'NotExpressible'
}

const REF = /\[(?:ref=)?((?:f\d+)?e\d+)\]/

/** The reference in the first line that matches and has one. */
export function refIn(tree: string, line: RegExp): string | null {
  for (const each of tree.split('\n')) {
    const ref = line.test(each) ? REF.exec(each)?.[1] : undefined
    if (ref !== undefined) return ref
  }
  return null
}

/** Every line that matches, with its reference where it has one. */
export function linesOf(tree: string, line: RegExp): { line: string; ref: string | null }[] {
  const found = tree.split('\n').filter((each) => line.test(each))
  return found.map((each) => ({ line: each.trim(), ref: REF.exec(each)?.[1] ?? null }))
}

export const noLine = (line: RegExp, tree: string): Unsolved =>
  new Unsolved(`no line with a reference matches ${line}: ${excerpt(tree)}`)
