import type { Hands } from '../harness/hands.ts'
import type { EvalTask } from '../harness/task.ts'
import { serveWidget } from './bundle.ts'
import { EDITORS } from './editors.ts'
import { PICKERS } from './pickers.ts'
import { SHOELACE } from './shoelace.ts'

/** A widget of a real library on a page of its own, and something to do with it. */
export interface Widget {
  readonly name: string
  readonly page: string
  /** A module, JSX included; its imports are bundled. */
  readonly script: string
  solve(hands: Hands): Promise<unknown>
  readonly check: string
}

export const WIDGETS: readonly EvalTask[] = [...PICKERS, ...EDITORS, ...SHOELACE].map(
  ({ name, page, script, solve, check }) => ({
    name,
    about: 'widgets of real libraries',
    serve: serveWidget(page, script),
    solve,
    check,
  }),
)
