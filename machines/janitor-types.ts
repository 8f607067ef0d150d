import type { Ms } from './records.ts'

/** A sweep has ended, successfully or not. Each region has an event of its own, so that it does not affect the others. */
interface Swept<Region extends string> {
  type: `${Region}.swept`
  count: number
  at: Ms
}

export type JanitorEvent = Swept<'tasks'> | Swept<'calls'> | Swept<'workspaces'> | Swept<'retention'>
