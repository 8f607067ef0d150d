import { type Address, parseAddress } from '../../machines/addresses.ts'
import type { Write } from './ports.ts'

/** What is added to a task's log, or an image of it. Its write is asked for when the batch is made, and is the same from then on. */
export interface Append {
  readonly taskId: string
  write(): Write
  /** It is kept; or, false, it was refused for good. */
  settled(kept: boolean): void
}

/** What is to be written. Of rows: put (true) or removed (false). */
export interface WriteBatch {
  readonly rows: ReadonlyMap<Address, boolean>
  readonly appends: readonly Append[]
}

type OwnBatch = { readonly rows: Map<Address, boolean>; readonly appends: Append[] }

/** A task's log, its row and that of its ending are written together; others by themselves. */
export function batchesByTask({ rows, appends }: WriteBatch): Map<string, WriteBatch> {
  const batches = new Map<string, OwnBatch>()
  const of = (id: string) => {
    const batch: OwnBatch = batches.get(id) ?? { rows: new Map(), appends: [] }
    batches.set(id, batch)
    return batch
  }
  for (const append of appends) of(append.taskId).appends.push(append)
  for (const [address, put] of rows) {
    const { actorKind, id } = parseAddress(address)
    of(actorKind === 'task' || actorKind === 'closing' ? id : address).rows.set(address, put)
  }
  return batches
}

export const joined = (batches: readonly WriteBatch[]): WriteBatch => ({
  rows: new Map(batches.flatMap(({ rows }) => [...rows])),
  appends: batches.flatMap(({ appends }) => appends),
})
