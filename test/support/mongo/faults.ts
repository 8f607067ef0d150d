import type { Databases } from './commands.ts'
import type { Doc } from './doc.ts'
import type { Request } from './wire.ts'

/** What goes wrong with commands of one name, on one collection if it is given. */
export interface Fault {
  readonly command: string
  readonly collection?: string
  /**
   * `late`: the connection is cut, and the command is run by the command `release`. `lost`: it is run, and the connection
   * is cut before the answer. `refused`: it is answered by an error.
   */
  readonly how: 'late' | 'lost' | 'refused'
  readonly code?: number
  readonly codeName?: string
  /** So many of them before it passes; once when it is left out. */
  readonly times?: number
}

/** Faults that tests ask for with the commands `fault`, `release` and `repair`; and `last`, the last command of a name. */
export class Faults {
  readonly #databases: Databases
  #faults: { fault: Fault; left: number }[] = []
  #late: Doc[] = []
  readonly #last = new Map<string, Doc>()
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
    if (command.repair) {
      this.#faults = []
      return { ok: 1 }
    }
    if (command.last) return { ok: 1, command: this.#last.get(String(command.last)) }
    this.#last.set(Object.keys(command)[0] ?? '', command)
    const met = this.#met(command)
    if (!met) return this.#databases.run(command)
    if (met.how === 'late') this.#late.push(command)
    if (met.how === 'lost') this.#databases.run(command)
    return met.how === 'refused'
      ? { ok: 0, code: met.code, codeName: met.codeName, errmsg: 'a fault of the test' }
      : null
  }

  #met(command: Doc): Fault | null {
    const [name, collection] = Object.entries(command)[0] ?? []
    const met = this.#faults.find(
      ({ fault }) => fault.command === name && (fault.collection ?? collection) === collection,
    )
    if (!met) return null
    if (--met.left === 0) this.#faults.splice(this.#faults.indexOf(met), 1)
    return met.fault
  }
}
