const LINES_KEPT = 60

/** A broken promise of the service, found by the simulation. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** What happened: the last lines in words, all of it as a hash by which two runs are compared. */
export class Trace {
  #a = 0x811c9dc5
  #b = 0x01000193
  readonly #last: string[] = []
  readonly #now: () => number
  readonly #startAt: number
  readonly #heard: (line: string) => void

  constructor(now: () => number, heard: (line: string) => void = () => {}) {
    this.#heard = heard
    this.#now = now
    this.#startAt = now()
  }

  happened(what: string): void {
    const line = `${(this.#now() - this.#startAt).toFixed(3)} ${what}`
    for (let i = 0; i < line.length; i++) {
      const unit = line.charCodeAt(i)
      this.#a = Math.imul(this.#a ^ unit, 0x01000193)
      this.#b = Math.imul(this.#b ^ (unit + 0x9e37), 0x85ebca6b)
    }
    this.#heard(line)
    this.#last.push(line)
    if (this.#last.length > 2 * LINES_KEPT) this.#last.splice(0, LINES_KEPT)
  }

  get hash(): string {
    return `${(this.#a >>> 0).toString(16)}.${(this.#b >>> 0).toString(16)}`
  }

  /** The last lines, oldest first. */
  get last(): readonly string[] {
    return this.#last.slice(-LINES_KEPT)
  }
}
