/** A part of a step or of a start: it was asked for, was answered; a tool result came in, a call or the task's end went out. */
export type Part = 'request' | 'response' | 'result' | 'call' | 'end'

export interface Moment {
  readonly part: Part
  /** In ms. */
  readonly at: number
  /** Transactions that LMDB has committed until then. */
  readonly transactions: number
  /** Puts and removes that it was given until then. */
  readonly tableWrites: number
}

/** A command of MongoDB, such as `find`: when it went out and when its answer came, in ms. */
export interface RoundTrip {
  readonly command: string
  readonly from: number
  readonly to: number
}

export interface Counted {
  readonly moments: readonly Moment[]
  readonly roundTrips: readonly RoundTrip[]
}

interface CountedFile {
  getStats(): object
}

/**
 * What the drivers of the service have done. They report it only in a process that was started with `drivers.ts`; nothing
 * is kept before `begin`.
 */
class Counts {
  /** Hears of each moment, whether they are kept or not. */
  onMoment: (part: Part) => void = () => {}
  #files: CountedFile[] = []
  #tableWrites = 0
  #moments: Moment[] | null = null
  #roundTrips: RoundTrip[] = []

  opened(file: CountedFile): void {
    this.#files.push(file)
  }

  tableWritten(): void {
    this.#tableWrites++
  }

  /** In whole pages, as LMDB writes them; what the file system writes for itself is not in it. */
  bytesWritten(): number {
    return this.#files.map(statsOf).reduce((sum, { pagesWritten, pageSize }) => sum + pagesWritten * pageSize, 0)
  }

  roundTrip(command: string, from: number): void {
    if (this.#moments) this.#roundTrips.push({ command, from, to: performance.now() })
  }

  begin(): void {
    this.#moments = []
    this.#roundTrips = []
  }

  moment(part: Part): void {
    this.onMoment(part)
    if (!this.#moments) return
    const transactions = this.#files.reduce((sum, file) => sum + statsOf(file).lastTxnId, 0)
    this.#moments.push({ part, at: performance.now(), transactions, tableWrites: this.#tableWrites })
  }

  read = (): Counted => ({ moments: this.#moments ?? [], roundTrips: this.#roundTrips })
}

interface Stats {
  /** LMDB numbers its transactions; what is read has no number. */
  readonly lastTxnId: number
  readonly pagesWritten: number
  readonly pageSize: number
}
const statsOf = (file: CountedFile) => file.getStats() as Stats

export const counts = new Counts()
