import { RECORDS_FLUSH_MS_MAX, RECORDS_WAITING_MAX } from '../machines/limits.ts'
import type { ScreenshotRecord, StepRecord } from '../machines/records.ts'
import { messageOf } from './effects.ts'
import type { Clock, Log, Ports, Store } from './ports.ts'

/** Numbers of the records of one step: thinking, then ten for each call, and the ending last. */
const PER_STEP = 1_000_000
const PER_CALL = 10
const ORDER = {
  thinking: 0,
  tool_use: 0,
  tool_output: 1,
  screenshot: 2,
  tool_result: 3,
  complete: PER_STEP - 1,
  error: PER_STEP - 1,
}

/** The place of a record in its task, the same however often it is written. `call` counts from 0. */
export function seqOf(step: number, status: StepRecord['status'], call = -1): number {
  return step * PER_STEP + (call + 1) * PER_CALL + ORDER[status]
}

/**
 * Writes step records and screenshots, best effort and in order: those of one moment in one write, a failed write
 * counted and forgotten. What waits is bounded.
 */
export class Recorder {
  readonly #store: Store
  readonly #log: Log
  readonly #clock: Clock
  readonly #soon: (work: () => void) => void
  #records: StepRecord[] = []
  #screenshots: ScreenshotRecord[] = []
  #writing: Promise<void> | null = null
  #dropped = 0

  constructor(
    { store, log, clock }: Pick<Ports, 'store' | 'log' | 'clock'>,
    soon: (work: () => void) => void = setImmediate,
  ) {
    this.#store = store
    this.#log = log
    this.#clock = clock
    this.#soon = soon
  }

  record(record: StepRecord, screenshot: ScreenshotRecord | null = null): void {
    if (this.#records.length >= RECORDS_WAITING_MAX) {
      this.#dropped++
      return
    }
    this.#records.push(record)
    if (screenshot) this.#screenshots.push(screenshot)
    this.#writing ??= this.#write()
  }

  /** Resolves when what was recorded up to now is written or given up, after RECORDS_FLUSH_MS_MAX in any case. */
  flushed(): Promise<void> {
    if (this.#writing === null) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, RECORDS_FLUSH_MS_MAX)
      void this.#written().then(() => {
        this.#clock.clearTimeout(timer)
        resolve()
      })
    })
  }

  async #written(): Promise<void> {
    // The first may have begun before the last record came; the second took it along.
    await this.#writing
    await this.#writing
  }

  /** Records that were lost. */
  get dropped(): number {
    return this.#dropped
  }

  async #write(): Promise<void> {
    await new Promise<void>((resolve) => this.#soon(resolve))
    const records = this.#records
    const screenshots = this.#screenshots
    this.#records = []
    this.#screenshots = []
    try {
      await this.#store.steps.append(records, screenshots)
    } catch (error) {
      this.#dropped += records.length
      this.#log.warn({ records: records.length, err: messageOf(error) }, 'Step records were lost')
    }
    this.#writing = this.#records.length > 0 ? this.#write() : null
  }
}
