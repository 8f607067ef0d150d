import { suite } from 'uvu'
import type { OpenedStore } from '../../src/stores/open.ts'
import { auditContract } from './contract-audit.ts'
import { authTablesContract } from './contract-auth-tables.ts'
import { claimsContract } from './contract-claims.ts'
import { coreContract } from './contract-core.ts'
import { eventsContract } from './contract-events.ts'
import { filesContract } from './contract-files.ts'
import { ledgerContract } from './contract-ledger.ts'
import { limitsContract } from './contract-limits.ts'
import { profilesContract } from './contract-profiles.ts'
import { recipesContract } from './contract-recipes.ts'
import { recordsContract } from './contract-records.ts'
import { retireContract } from './contract-retire.ts'
import { taskSearchContract } from './contract-task-search.ts'
import { tasksContract } from './contract-tasks.ts'
import { webhooksContract } from './contract-webhooks.ts'

/** What the contract is held against. */
export interface Driver {
  /** Opens the store, the same one each time: each is what a process of its own would have. */
  open(): Promise<OpenedStore>
  /** Takes the store away. */
  remove(): Promise<void>
}

/** Two handles of one store. */
export interface Pair {
  readonly store: OpenedStore
  readonly other: OpenedStore
  /** `other`, asked a turn of its process later: what one handle has written, another may see no sooner. */
  readonly seen: OpenedStore
}

export type Test = (name: string, run: (pair: Pair) => Promise<void>) => void

/** [D1] Every promise of `Store` and `AuthTables`, for any driver. */
export async function contract(name: string, driver: Driver): Promise<void> {
  const tests = suite(name)
  const [store, other] = [await driver.open(), await driver.open()]
  const pair: Pair = { store, other, seen: later(other) }
  const test: Test = (title, run) => tests(title, () => run(pair))

  coreContract(test)
  tasksContract(test)
  eventsContract(test)
  filesContract(test)
  taskSearchContract(test)
  recordsContract(test)
  profilesContract(test)
  recipesContract(test)
  claimsContract(test)
  ledgerContract(test)
  limitsContract(test)
  auditContract(test)
  retireContract(test)
  webhooksContract(test)
  authTablesContract(test)

  tests.after(async () => {
    await pair.store.close()
    await pair.other.close()
    await driver.remove()
  })
  tests.run()
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

/** The same object, each of whose calls waits for a turn first. */
function later<Room extends object>(room: Room): Room {
  async function* rows(ask: () => AsyncIterable<unknown>) {
    await turn()
    yield* ask()
  }
  const wrap = ([name, value]: [string, unknown]): [string, unknown] => {
    if (typeof value === 'object' && value !== null) return [name, later(value)]
    if (typeof value !== 'function') return [name, value]
    const iterates = name === 'actors' || name === 'running' || name === 'all'
    const call = (...args: unknown[]) =>
      iterates ? rows(() => value(...args)) : turn().then(() => value(...args) as unknown)
    return [name, call]
  }
  return Object.fromEntries(Object.entries(room).map(wrap)) as Room
}
