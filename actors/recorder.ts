import type { ScreenshotRecord, StepRecord } from '../machines/records.ts'
import { RECORDS_BYTES_MAX, RECORDS_FLUSH_MS_MAX, RECORDS_WAITING_MAX } from './limits.ts'
import { messageOf } from './runtime/effects.ts'
import type { Clock, Log, Ports, Store } from './runtime/ports.ts'

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

/** The number of a record within its task: the same each time it is written. `call` counts from 0. */
export function seqOf(step: number, status: StepRecord['status'], call = -1): number {
  return step * PER_STEP + (call + 1) * PER_CALL + ORDER[status]
}

/**
 * Writes step records and screenshots, best effort: those of one turn of the event loop in one write, in order, and at once
 * if somebody waits for them. Records of a failed write are counted and dropped. What waits or is being written is bounded.
 */
export class Recorder {
  readonly #store: Store
  readonly #log: Log
  readonly #clock: Clock
  readonly #soon: (work: () => void) => void
  #records: StepRecord[] = []
  #screenshots: ScreenshotRecord[] = []
  /** The size of the records that wait. */
  #bytes = 0
  #scheduled = false
  readonly #writes = new Set<Promise<void>>()
  /** Records that wait or are in those writes, and about how many bytes they and their screenshots take. */
  #held = 0
  #heldBytes = 0
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
    const bytes = bytesOf(record, screenshot)
    if (this.#held >= RECORDS_WAITING_MAX || this.#heldBytes + bytes > RECORDS_BYTES_MAX) {
      this.#dropped++
      return
    }
    this.#held++
    this.#heldBytes += bytes
    this.#bytes += bytes
    this.#records.push(record)
    if (screenshot) this.#screenshots.push(screenshot)
    this.#schedule()
  }

  /** Resolves when what was recorded up to now is written or given up, after RECORDS_FLUSH_MS_MAX in any case. */
  flushed(): Promise<void> {
    this.#write()
    if (this.#writes.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, RECORDS_FLUSH_MS_MAX)
      void Promise.all(this.#writes).then(() => {
        this.#clock.clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Records that were lost. */
  get dropped(): number {
    return this.#dropped
  }

  #schedule(): void {
    if (this.#scheduled || this.#writes.size > 0) return
    this.#scheduled = true
    this.#soon(() => {
      this.#scheduled = false
      this.#write()
    })
  }

  #write(): void {
    const records = this.#records
    if (records.length === 0) return
    const screenshots = this.#screenshots
    const bytes = this.#bytes
    this.#records = []
    this.#screenshots = []
    this.#bytes = 0
    const write = this.#append(records, screenshots).then(() => {
      this.#held -= records.length
      this.#heldBytes -= bytes
      this.#writes.delete(write)
      if (this.#records.length > 0) this.#schedule()
    })
    this.#writes.add(write)
  }

  async #append(records: readonly StepRecord[], screenshots: readonly ScreenshotRecord[]): Promise<void> {
    try {
      await this.#store.steps.append(records, screenshots)
    } catch (error) {
      this.#dropped += records.length
      this.#log.warn({ records: records.length, err: messageOf(error) }, 'Step records were lost')
    }
  }
}

/** About what a record takes in memory: its texts, and its image. */
function bytesOf(record: StepRecord, screenshot: ScreenshotRecord | null): number {
  let bytes = RECORD_BYTES + (screenshot?.image.byteLength ?? 0)
  for (const value of Object.values({ ...record, ...record.toolInput }))
    if (typeof value === 'string') bytes += value.length
  return bytes
}
const RECORD_BYTES = 500
