import { type Address, parseAddress } from '../../machines/addresses.ts'
import type { Write } from './ports.ts'

export type Append = Extract<Write, { kind: 'journal.append' }>

/** What is to be written. Of rows: put (true) or removed (false). */
export interface WriteBatch {
  readonly rows: ReadonlyMap<Address, boolean>
  readonly journal: readonly Append[]
}

type OwnBatch = { readonly rows: Map<Address, boolean>; readonly journal: Append[] }

/** A task's journal, its row and that of its ending are written together; others by themselves. */
export function batchesByTask({ rows, journal }: WriteBatch): Map<string, WriteBatch> {
  const batches = new Map<string, OwnBatch>()
  const of = (id: string) => {
    const batch: OwnBatch = batches.get(id) ?? { rows: new Map(), journal: [] }
    batches.set(id, batch)
    return batch
  }
  for (const append of journal) of(append.taskId).journal.push(append)
  for (const [address, put] of rows) {
    const { actorKind, id } = parseAddress(address)
    of(actorKind === 'task' || actorKind === 'closing' ? id : address).rows.set(address, put)
  }
  return batches
}

export const joined = (batches: readonly WriteBatch[]): WriteBatch => ({
  rows: new Map(batches.flatMap(({ rows }) => [...rows])),
  journal: batches.flatMap(({ journal }) => journal),
})
