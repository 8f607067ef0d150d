import type { Write } from '../../../actors/ports.ts'
import type { ActorRow, JournalEntry } from '../../../machines/records.ts'
import { LogFile, type Place } from './log-file.ts'
import type { Tables } from './tables.ts'

/** What goes to the log: all but records. */
export type LoggedWrite = Exclude<Write, { kind: 'task.insert' }>
export const isLogged = (write: Write): write is LoggedWrite => write.kind !== 'task.insert'

/** A write as it is in the log. */
export type Logged =
  | readonly [address: string, row: ActorRow | null]
  | readonly [taskId: string, seq: number, entry: JournalEntry]

/**
 * A part of the write-ahead log: commits until they are brought into the tables. It knows where the newest of each row
 * and each journal entry lies, so that a row that was written often is put once, and one that came and went not at all.
 */
export class Segment {
  readonly #file: LogFile
  /** `null`: removed. */
  readonly #rows = new Map<string, Place | null>()
  /** By task, then by seq. */
  readonly #entries = new Map<string, Map<number, Place>>()

  /** @throws Error of the file system */
  constructor(path: string) {
    this.#file = new LogFile(path)
  }

  get bytes(): number {
    return this.#file.bytes
  }

  /** The number of its last commit. */
  get last(): number {
    return this.#file.last
  }

  get isEmpty(): boolean {
    return this.#file.bytes === 0
  }

  /** @throws Error of the file system; nothing is kept then */
  append(number: number, writes: readonly LoggedWrite[]): void {
    const pieces = writes.flatMap((write, n) => [`${n === 0 ? '[' : '],'}[${headOf(write)},`, jsonOf(write)])
    pieces.push(']]')
    const places = this.#file.append(number, pieces)
    for (const [n, write] of writes.entries()) this.#note(write, places[2 * n + 1] as Place)
  }

  /** Resolves when all of it would outlive a loss of power. */
  sync(): Promise<void> {
    return this.#file.sync()
  }

  /** What it holds of a journal. */
  entriesOf(taskId: string): [seq: number, entry: JournalEntry][] {
    const entries = [...(this.#entries.get(taskId) ?? [])]
    return entries.map(([seq, place]) => [seq, JSON.parse(this.#file.at(place).toString())])
  }

  /** What brings it into the tables, one put or removal at a time; within writes of their file. */
  *puts({ actors, journal }: Tables): Generator<() => void> {
    for (const [taskId, bySeq] of this.#entries) {
      for (const run of runsOf(bySeq)) yield () => journal.putBytes([taskId, run.seq], this.#together(run.places))
    }
    for (const [address, place] of this.#rows) {
      if (place) yield () => actors.putBytes(address, this.#file.at(place))
      else if (actors.has(address)) yield () => actors.remove(address)
    }
  }

  /** All of it is in the tables. */
  rewind(): void {
    this.#rows.clear()
    this.#entries.clear()
    this.#file.rewind()
  }

  /** Takes its file away. */
  remove(): void {
    this.#file.remove()
  }

  #note(write: LoggedWrite, place: Place): void {
    if (write.kind === 'actor.put') this.#rows.set(write.row.address, place)
    else if (write.kind === 'actor.remove') this.#rows.set(write.address, null)
    else {
      const others = this.#entries.get(write.taskId)
      if (others) others.set(write.seq, place)
      else this.#entries.set(write.taskId, new Map([[write.seq, place]]))
    }
  }

  /** Texts as the JSON of their list. */
  #together(places: readonly Place[]): Buffer {
    const parts = places.flatMap((place, n) => [n === 0 ? OPENING : COMMA, this.#file.at(place)])
    return Buffer.concat([...parts, CLOSING])
  }
}

const OPENING = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSING = Buffer.from(']')

/** Journal entries that follow each other, as one row of the table: a row costs more than what is in it. */
function runsOf(bySeq: ReadonlyMap<number, Place>): { seq: number; places: Place[] }[] {
  const runs: { seq: number; places: Place[] }[] = []
  for (const [seq, place] of [...bySeq].sort(([a], [b]) => a - b)) {
    const run = runs.at(-1)
    if (run && run.seq + run.places.length === seq) run.places.push(place)
    else runs.push({ seq, places: [place] })
  }
  return runs
}

/** What a write is about, as in `Logged`. */
function headOf(write: LoggedWrite): string {
  if (write.kind === 'journal.append') return `${JSON.stringify(write.taskId)},${write.seq}`
  return JSON.stringify(write.kind === 'actor.put' ? write.row.address : write.address)
}

/** What is kept of a write, as JSON: it is made once, for the log and for the tables. */
function jsonOf(write: LoggedWrite): string {
  if (write.kind === 'actor.remove') return 'null'
  return JSON.stringify(write.kind === 'actor.put' ? write.row : write.entry)
}
