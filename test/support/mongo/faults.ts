import type { Databases } from './commands.ts'
import type { Doc } from './doc.ts'
import { TRANSIENT } from './sessions.ts'
import type { Request } from './wire.ts'

/**
 * What goes wrong with commands of one name, on one collection if it is given. `startTransaction` is the name of any
 * that begins a transaction, `commitTransaction` that of its end.
 */
export interface Fault {
  readonly command: string
  readonly collection?: string
  /**
   * `late`: the connection is cut, and the command is run by the command `release`. `lost`: it is run, and the connection
   * is cut before the answer. A driver sends such a write or commit once more by itself, which is cut as well. `refused`: it
   * is answered by an error. `conflict`: by a write conflict, and its transaction is aborted.
   */
  readonly how: 'late' | 'lost' | 'refused' | 'conflict'
  readonly code?: number
  readonly codeName?: string
  /** So many of them before it passes; once when it is left out. */
  readonly times?: number
}

/** Faults that tests ask for with the commands `fault`, `release` and `repair`; `late`, how many wait for that; and `last`, the last command of a name, and `counts`, how many of each name came; `transactions`, how long they were open. */
export class Faults {
  readonly #databases: Databases
  #faults: { fault: Fault; left: number }[] = []
  #late: Doc[] = []
  /** What was cut and will be tried again, by the driver itself. */
  readonly #again = new Map<string, Fault>()
  readonly #last = new Map<string, Doc>()
  readonly #counts = new Map<string, number>()
  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** Answers a request; `null`: its connection is to be cut. */
  answer({ command }: Request): Doc | null {
    if (command.fault) {
      const fault = command.fault as Fault
      this.#faults.push({ fault, left: fault.times ?? 1 })
      return { ok: 1 }
    }
    if (command.release) {
      for (const late of this.#late.splice(0)) this.#databases.run(late)
      return { ok: 1 }
    }
    if (command.late) return { ok: 1, count: this.#late.length }
    if (command.repair) {
      this.#faults = []
      this.#again.clear()
      return { ok: 1 }
    }
    if (command.last) return { ok: 1, command: this.#last.get(String(command.last)) }
    if (command.transactions) return { ok: 1, ...this.#databases.transactions() }
    if (command.counts) return { ok: 1, commands: Object.fromEntries(this.#counts) }
    const [name = ''] = Object.keys(command)
    this.#last.set(name, command)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    const met = this.#met(command)
    if (!met) return this.#databases.run(command)
    if (met.how === 'late') this.#late.push(command)
    if (met.how === 'lost') this.#databases.run(command)
    if (met.how === 'refused') return { ok: 0, code: met.code, codeName: met.codeName, errmsg: 'a fault of the test' }
    if (met.how !== 'conflict') return null
    this.#databases.abort(command)
    return { ok: 0, code: 112, codeName: 'WriteConflict', errmsg: 'a fault of the test', ...TRANSIENT }
  }

  #met(command: Doc): Fault | null {
    const [name = '', collection] = Object.entries(command)[0] ?? []
    const attempt = retried(command) && JSON.stringify([name, command.lsid, Number(command.txnNumber)])
    const again = attempt && this.#again.get(attempt)
    if (again) {
      this.#again.delete(attempt)
      return again
    }
    const collections = Array.isArray(command.nsInfo)
      ? command.nsInfo.map(({ ns }: Doc) => String(ns).slice(String(ns).indexOf('.') + 1))
      : [collection]
    const met = this.#faults.find(
      ({ fault }) =>
        (fault.command === name || (fault.command === 'startTransaction' && command.startTransaction)) &&
        (fault.collection === undefined || collections.includes(fault.collection)),
    )
    if (!met) return null
    if (--met.left === 0) this.#faults.splice(this.#faults.indexOf(met), 1)
    if (attempt && (met.fault.how === 'late' || met.fault.how === 'lost')) this.#again.set(attempt, met.fault)
    return met.fault
  }
}

/** Whether a driver tries it again: a write of its own, or the end of a transaction. */
const retried = (command: Doc): boolean =>
  command.txnNumber !== undefined &&
  (command.autocommit === undefined || 'commitTransaction' in command || 'abortTransaction' in command)
