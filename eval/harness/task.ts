import type { Hands } from './hands.ts'
import type { Serve } from './site.ts'

/** One thing to do on a page, how a scripted solver does it, and how the page itself tells that it was done. */
export interface EvalTask {
  readonly name: string
  /** The rule or fault that it is about. */
  readonly about: string
  /** The page at `/`; `{{own}}` and `{{other}}` become the origins of this run and of another site. */
  readonly page?: string
  /** Further paths: HTML, or whatever a handler answers. */
  readonly paths?: Readonly<Record<string, string | Serve>>
  /** Serves every path by itself instead. */
  readonly serve?: Serve
  /** Sees only what the tools return. Throws when it cannot go on. */
  solve(hands: Hands): Promise<unknown>
  /** An expression that is true in the page when the task is done; left out where only what was told counts. */
  readonly check?: string
  /** Looks beside the tools whether it is done, when the page itself cannot tell: what is wrong, or nothing. */
  verify?(): Promise<string>
  /** The same task with other values in what its page asks for: its recipe is played there. */
  readonly other?: Serve
  /** An expression: what the page asks for. */
  readonly goal?: string
  /** An expression that is true in the page when something was done that was not asked for. */
  readonly spoilt?: string
  /** Playwright MCP has no way to do it, or the task is about what only these tools promise. */
  readonly oursOnly?: boolean
}

/** A solver cannot go on. The message says what was wanted and what there was. */
export class Unsolved extends Error {
  override readonly name = 'Unsolved'
}

/** What was told must match, or the task is not solved. */
export function must(text: string, wanted: RegExp, what = 'the answer'): void {
  if (!wanted.test(text)) throw new Unsolved(`${what} does not say ${wanted}: ${excerpt(text)}`)
}
export function mustNot(text: string, unwanted: RegExp, what = 'the answer'): void {
  if (unwanted.test(text)) throw new Unsolved(`${what} says ${unwanted}: ${excerpt(text)}`)
}

const EXCERPT_CHARS = 700
export const excerpt = (text: string): string =>
  text.length <= EXCERPT_CHARS ? text : `${text.slice(0, EXCERPT_CHARS)} … (${text.length} characters)`
