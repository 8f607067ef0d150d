import type { Ids, Log } from '../runtime/ports.ts'
import type { Bus, Shards } from './ports.ts'

/** Messages of JSON between the nodes of one store: one too long for the bus waits in the store, and its name is sent. */
export class Messages {
  readonly #bus: Bus
  readonly #shards: Shards
  readonly #ids: Ids
  readonly #log: Log
  readonly #charsMax: number
  /** Large messages that are being stored, by subject: those that follow wait, so that the order holds. */
  readonly #storing = new Map<string, Promise<void>>()

  constructor(bus: Bus & { readonly charsMax: number }, shards: Shards, ids: Ids, log: Log) {
    this.#bus = bus
    this.#shards = shards
    this.#ids = ids
    this.#log = log
    this.#charsMax = bus.charsMax
  }

  get connected(): boolean {
    return this.#bus.connected()
  }

  subject(name: string): string {
    return `bts.${this.#shards.cluster}.${name}`
  }

  /** Sends it, at most once. */
  tell(name: string, message: object): void {
    const subject = this.subject(name)
    const text = JSON.stringify(message)
    const before = this.#storing.get(subject)
    if (!before && text.length <= this.#charsMax) {
      this.#bus.publish(subject, text)
      return
    }
    const sent = (before ?? Promise.resolve())
      .then(async () => this.#bus.publish(subject, await this.#short(text)))
      .catch((err: unknown) => this.#log.warn({ err }, 'A long message to another node was lost'))
      .finally(() => {
        if (this.#storing.get(subject) === sent) this.#storing.delete(subject)
      })
    this.#storing.set(subject, sent)
  }

  /** Resolves to the answer; to `nobody` when nobody is there, to `late` when none came in time. */
  async ask(name: string, message: object, ms: number): Promise<unknown | 'nobody' | 'late'> {
    const answer = await this.#bus.request(this.subject(name), await this.#short(JSON.stringify(message)), ms)
    return typeof answer === 'string' ? answer : JSON.parse(await this.#whole(answer.text))
  }

  /** `handler` sees each message; what it resolves to is the answer to an `ask`. */
  serve(name: string, handler: (message: never) => unknown): void {
    // A long message that is being read holds up those behind it, so that the order holds.
    let reading: Promise<unknown> | null = null
    this.#bus.serve(this.subject(name), async (text) => {
      let message = text
      if (reading || isLarge(text)) {
        const read = (reading ?? Promise.resolve()).then(() => this.#whole(text))
        const over = read
          .catch(() => {})
          .finally(() => {
            if (reading === over) reading = null
          })
        reading = over
        message = await read
      }
      const answer = await handler(JSON.parse(message) as never)
      return answer === undefined ? null : this.#short(JSON.stringify(answer))
    })
  }

  async #short(text: string): Promise<string> {
    if (text.length <= this.#charsMax) return text
    const id = this.#ids.uuid()
    await this.#shards.storeLargeMessage(id, text)
    return LARGE + id
  }

  async #whole(text: string): Promise<string> {
    if (!isLarge(text)) return text
    const whole = await this.#shards.largeMessage(text.slice(LARGE.length))
    if (whole === null) throw new Error('A message was read too late')
    return whole
  }
}

const LARGE = 'large:'
const isLarge = (text: string) => text.startsWith(LARGE)
