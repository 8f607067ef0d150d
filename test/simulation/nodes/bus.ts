import type { Bus, BusAnswer } from '../../../actors/cluster/ports.ts'
import { type Owner, type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Link } from './link.ts'

export interface BusTrouble {
  /** How likely a message is lost without a word, or comes twice. */
  readonly lost: number
  readonly doubled: number
  readonly delayMs: number
}

export interface NatsOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trouble: () => BusTrouble
  /** A call has come to a node. */
  readonly called: (link: Link) => void
}

interface Connection {
  readonly link: Link
  readonly served: Map<string, ((text: string) => Promise<string | null>)[]>
  readonly reconnected: (() => void)[]
  /** What the client believes. */
  connected: boolean
  /** When what was sent last to each other connection arrives: one sender's messages keep their order. */
  readonly lastDue: Map<Connection, number>
  /** What waits in the sockets of a connection that is cut off and does not know it. */
  waiting: (() => void)[]
}

/** Pings that are not answered: by then a client knows that it is cut off. */
const NOTICED_MS = [2_000, 6_000] as const
const CHARS_MAX = 20_000

/**
 * A NATS server and its clients: at most once (doubled messages apart, which a plan asks for), those of one sender to one
 * receiver in their order, and any others in any. A client that is cut off notices late: until then what it sends waits,
 * and leaves when the cut is over; after that it is dropped.
 */
export class SimulatedNats {
  readonly #options: NatsOptions
  #connections: Connection[] = []

  constructor(options: NatsOptions) {
    this.#options = options
  }

  connect(link: Link): Bus & { readonly charsMax: number } {
    const { scheduler, random } = this.#options
    const own: Connection = {
      ...{ link, served: new Map(), reconnected: [], connected: true },
      ...{ lastDue: new Map(), waiting: [] },
    }
    this.#connections = [...this.#connections.filter((each) => each.link.life.alive), own]
    return {
      charsMax: CHARS_MAX,
      connected: () => own.connected,
      publish: (subject, text) => {
        if (own.connected) this.#leave(own, () => this.#publish(own, subject, text))
      },
      request: (subject, text, ms) =>
        new Promise<BusAnswer>((resolve) => {
          if (!own.connected) return resolve('late')
          scheduler.after(ms, link.life, 'bus late', () => resolve('late'))
          this.#leave(own, () => {
            const [to] = this.#serving(subject)
            if (!to) {
              scheduler.after(random.between(0.1, 2), link.life, 'bus nobody', () => resolve('nobody'))
              return
            }
            this.#carry(own, to, subject, text, (answer) => {
              this.#leave(to, () => this.#deliver(to, own, `answer ${subject}`, () => resolve({ text: answer })))
            })
          })
        }),
      serve: (subject, handler) => void own.served.set(subject, [...(own.served.get(subject) ?? []), handler]),
      onReconnect: (listener) => void own.reconnected.push(listener),
      stats: () => ({ outMsgs: 0, inMsgs: 0, outBytes: 0, inBytes: 0 }),
      close: async () => {
        own.connected = false
        this.#connections = this.#connections.filter((each) => each !== own)
      },
    }
  }

  /** The node of the link cannot reach the server, from now on. */
  cut(link: Link): void {
    const { scheduler, random } = this.#options
    if (link.busCut) return
    link.busCut = true
    const own = this.#connections.find((each) => each.link === link)
    if (!own) return
    scheduler.after(random.between(...NOTICED_MS), link.life, 'bus away', () => {
      if (!link.busCut || !own.connected) return
      own.connected = false
      own.waiting = []
    })
  }

  heal(link: Link): void {
    const { scheduler, random } = this.#options
    if (!link.busCut) return
    link.busCut = false
    const own = this.#connections.find((each) => each.link === link)
    if (!own) return
    if (own.connected) for (const go of own.waiting.splice(0)) go()
    else
      scheduler.after(random.between(1, 300), link.life, 'bus back', () => {
        if (link.busCut || own.connected) return
        own.connected = true
        for (const tell of own.reconnected) tell()
      })
  }

  /** The server ends, and is there again a moment later; its clients come back one after the other. */
  restart(): void {
    const { scheduler, random } = this.#options
    for (const own of this.#connections) {
      if (!own.connected) continue
      own.connected = false
      own.waiting = []
      const back = () => {
        if (own.connected || own.link.busCut) return
        own.connected = true
        for (const tell of own.reconnected) tell()
      }
      scheduler.after(random.between(100, 2_000), own.link.life, 'bus back', back)
    }
  }

  #serving(subject: string): Connection[] {
    return this.#connections.filter((each) => each.link.life.alive && each.connected && each.served.has(subject))
  }

  /** Something leaves the sockets of a node, or waits in them. */
  #leave(from: Connection, go: () => void): void {
    if (from.link.busCut) from.waiting.push(go)
    else go()
  }

  #publish(from: Connection, subject: string, text: string): void {
    for (const to of this.#serving(subject)) this.#carry(from, to, subject, text, () => {})
  }

  #carry(from: Connection, to: Connection, subject: string, text: string, answered: (text: string) => void): void {
    const { random, trouble } = this.#options
    const short = subject.replace(/^bts\.\w+\./, '').replace(/[0-9a-f]{4}-[0-9a-f-]{28,}/, '')
    const { lost, doubled } = trouble()
    if (random.chance(lost)) {
      this.#options.scheduler.trace.happened(`bus lost ${short}`)
      return
    }
    for (let copies = random.chance(doubled) ? 2 : 1; copies > 0; copies--)
      this.#deliver(from, to, short, () => {
        if (subject.endsWith('.call')) this.#options.called(to.link)
        for (const handler of to.served.get(subject) ?? [])
          handler(text).then(
            (answer) => answer !== null && answered(answer),
            (error) => this.#options.scheduler.trace.happened(`bus: ${short} was not handled: ${error}`),
          )
      })
  }

  #deliver(from: Connection, to: Connection, label: string, arrive: () => void): void {
    const { scheduler, random, trouble } = this.#options
    const due = Math.max(
      from.lastDue.get(to) ?? 0,
      scheduler.time + random.between(0.1, 1.5 + random.unit() * trouble().delayMs),
    )
    from.lastDue.set(to, due)
    scheduler.after(due - scheduler.time, THE_WORLD as Owner, `bus ${label}`, () => {
      const life = to.link.life
      if (!life.alive) return
      const inside = () => scheduler.after(0, life, `bus in ${label}`, arrive)
      // The server gives up a client that reads nothing; what it wrote to it before is in the sockets.
      if (to.link.busCut) {
        if (to.connected) to.waiting.push(inside)
      } else inside()
    })
  }
}
