import type { SolverModel } from './model.ts'
import { MORE_SITES } from './more-sites.ts'
import { SITES } from './sites.ts'

/** A task in words, the pages where it is done, and how a frugal model does it. */
export interface AgentTask {
  readonly name: string
  readonly task: string
  /** HTML by path. Pages tell the site what was done by a request to `/done?…`. */
  readonly pages: Readonly<Record<string, string>>
  solve(model: SolverModel): Promise<string>
  /** What must have been told to the site, and what the answer must say. */
  readonly done: readonly RegExp[]
  readonly answer: RegExp
}

export const AGENT_TASKS: readonly AgentTask[] = [...SITES, ...MORE_SITES]
