import PQueue from 'p-queue'

/** A queue for each name, such as a workspace: so many works of one name are under way at a time, and no other name waits for them. */
export class Queues {
  readonly #concurrency: number
  readonly #queues = new Map<string, PQueue>()

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  add<T>(name: string, work: () => Promise<T>): Promise<T> {
    return (this.#queues.get(name) ?? this.#create(name)).add(work)
  }

  #create(name: string): PQueue {
    const queue = new PQueue({ concurrency: this.#concurrency })
    this.#queues.set(name, queue)
    queue.once('idle', () => this.#queues.delete(name))
    return queue
  }
}
