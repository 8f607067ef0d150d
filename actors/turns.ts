/** So many at once: about eight milliseconds of work. */
const AT_ONCE = 32

/**
 * What comes in by the hundred at once is taken up a few at a time, in order, and the thread is let go between: what the
 * first of them led to is written and sent while the next are worked on, and nobody else waits for all of them.
 */
export class Turns {
  readonly #soon: (work: () => void) => void
  readonly #queue: (() => void)[] = []
  #taken = 0
  #scheduled = false
  #together: Promise<void> | null = null

  constructor(soon: (work: () => void) => void = setImmediate) {
    this.#soon = soon
  }

  /** Does the work now, or in its turn when much came before it. It must not throw. */
  take(work: () => void): void {
    this.#schedule()
    if (this.#queue.length > 0 || this.#taken >= AT_ONCE) this.#queue.push(work)
    else {
      this.#taken++
      work()
    }
  }

  /** Resolves soon, at once for all that wait for it: what they go on with is then done in a row. */
  together(): Promise<void> {
    this.#together ??= new Promise((resolve) =>
      this.#soon(() => {
        this.#together = null
        resolve()
      }),
    )
    return this.#together
  }

  /** Does all that waits: what comes now must not overtake it. */
  hurry(): void {
    this.#work(this.#queue.length)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#soon(() => {
      this.#scheduled = false
      this.#taken = Math.min(AT_ONCE, this.#queue.length)
      if (this.#taken > 0) this.#schedule()
      this.#work(this.#taken)
    })
  }

  #work(count: number): void {
    for (let n = 0; n < count; n++) this.#queue.shift()?.()
  }
}
