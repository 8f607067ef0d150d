import { DEMO } from './demo.ts'
import type { SolverModel } from './model.ts'
import { MORE_SITES } from './more-sites.ts'
import { SITES } from './sites.ts'

/** A task in words, the pages where it is done, and how a frugal model does it. */
export interface AgentTask {
  readonly name: string
  readonly task: string
  /** HTML by path, whose pages tell the site what was done by a request to `/done?…`; or a site of its own. */
  readonly pages: Readonly<Record<string, string>> | (() => Promise<Place>)
  solve(model: SolverModel): Promise<string>
  /** What must have been told to the site, and what the answer must say. */
  readonly done: readonly RegExp[]
  readonly answer: RegExp
}

/** Where a task is done. */
export interface Place {
  readonly url: string
  /** What the site was told so far. */
  readonly told: readonly string[]
  close(): Promise<void>
}

export const AGENT_TASKS: readonly AgentTask[] = [...SITES, ...MORE_SITES, DEMO]
