import { StoreDamaged, StoreUnwritable } from '../../actors/runtime/ports.ts'

export { StoreDamaged, StoreUnwritable }

/** Another process owns the store. The message says who, in one line. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse'
}

/** A row with this value of a unique field exists already. */
export class UniqueConflict extends Error {
  override readonly name = 'UniqueConflict'
  readonly table: string
  readonly field: string
  constructor(table: string, field: string) {
    super(`${table}.${field} is taken`)
    this.table = table
    this.field = field
  }
}

/** What an unknown error says, in one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
