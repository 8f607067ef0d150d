import type { Ms } from './records.ts'

/** A sweep is over, also when it failed. Each region has its own word: one that is over leaves the others alone. */
interface Swept<Region extends string> {
  type: `${Region}.swept`
  count: number
  at: Ms
}

export type JanitorEvent = Swept<'tasks'> | Swept<'calls'> | Swept<'workspaces'> | Swept<'retention'>
