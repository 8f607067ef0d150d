import type { Desk } from '../../../actors/front.ts'
import type { Model, Outbox, Ports, Store } from '../../../actors/ports.ts'
import { jobOf, wordsOf } from './jobs.ts'
import { Samples, type Times } from './numbers.ts'

/** What the service did since the meter was set back. */
export interface Metered {
  /** Tool results that came in. */
  readonly steps: number
  readonly modelCalls: number
  readonly commits: number
  /** Rows of those commits, of step records, and of endings and usage. */
  readonly rows: number
  /** Our own time: from a tool result to the next frame of its task, less the time in the model. In ms. */
  readonly own: Times
  /** Of those, the ones whose next frame was the task's end: charged, counted, written and told. */
  readonly ownOfEnds: Times
  /** And the others, whose next frame was the next call. */
  readonly ownOfCalls: Times
  /** The same by the number of the step, the medians. Empty unless asked for. */
  readonly byStep: readonly number[]
}

/** One write of one task, as it is played again on a bare store. */
export type Written =
  | { readonly call: 'commit'; readonly args: Parameters<Store['commit']> }
  | { readonly call: 'append'; readonly args: Parameters<Store['steps']['append']> }
  | { readonly call: 'end'; readonly args: Parameters<Store['tasks']['end']> }
  | { readonly call: 'usage'; readonly args: Parameters<Store['usage']['record']> }

interface Job {
  /** When its last result came in; 0 while none is under way. */
  since: number
  modelMs: number
  step: number
}

const SAMPLES_BY_STEP = 20_000

/** Stands between the rooms of the service: frames in, the model, the store, frames out. One task at a time in a session. */
export class Meter {
  readonly #jobs = new Map<string, Job>()
  readonly #own = new Samples()
  readonly #ownOfEnds = new Samples()
  readonly #ownOfCalls = new Samples()
  readonly #byStep: Samples[] = []
  #steps = 0
  #modelCalls = 0
  #commits = 0
  #rows = 0
  #watchesSteps = false
  #recording: Written[] | null = null

  reset(byStep = false): void {
    for (const samples of [this.#own, this.#ownOfEnds, this.#ownOfCalls]) samples.clear()
    this.#byStep.length = 0
    this.#watchesSteps = byStep
    this.#steps = this.#modelCalls = this.#commits = this.#rows = 0
  }

  read(): Metered {
    return {
      steps: this.#steps,
      modelCalls: this.#modelCalls,
      commits: this.#commits,
      rows: this.#rows,
      own: this.#own.times(),
      ownOfEnds: this.#ownOfEnds.times(),
      ownOfCalls: this.#ownOfCalls.times(),
      byStep: Array.from(this.#byStep, (samples) => samples?.times().p50 ?? 0),
    }
  }

  /** Keeps what is written from now on, until the next call, which gives it. For one task alone. */
  record(on: boolean): Written[] {
    const recorded = this.#recording ?? []
    this.#recording = on ? [] : null
    return recorded
  }

  desk(desk: Desk): Desk {
    return {
      ...desk,
      toolResult: (sessionId, result) => {
        const job = this.#job(sessionId)
        job.since = performance.now()
        job.modelMs = 0
        this.#steps++
        return desk.toolResult(sessionId, result)
      },
    }
  }

  ports(ports: Ports): Ports {
    return {
      ...ports,
      outbox: this.#outbox(ports.outbox),
      model: this.#model(ports.model),
      store: this.#store(ports.store),
    }
  }

  #outbox(outbox: Outbox): Outbox {
    return {
      close: (...args) => outbox.close(...args),
      send: (sessionId, frame) => {
        const sent = outbox.send(sessionId, frame)
        if (frame.type === 'mcp_execute_tool') this.#left(sessionId, this.#ownOfCalls)
        else if (frame.type === 'task_complete') {
          this.#left(sessionId, this.#ownOfEnds)
          this.#jobs.delete(sessionId)
        }
        return sent
      },
    }
  }

  #left(sessionId: string, kind: Samples): void {
    const job = this.#job(sessionId)
    job.step++
    if (job.since === 0) return
    const ms = performance.now() - job.since - job.modelMs
    job.since = 0
    this.#own.add(ms)
    kind.add(ms)
    if (!this.#watchesSteps) return
    const samples = this.#byStep[job.step] ?? new Samples(SAMPLES_BY_STEP)
    this.#byStep[job.step] = samples
    samples.add(ms)
  }

  #model(model: Model): Model {
    return {
      id: model.id,
      provider: model.provider,
      ask: async (request, signal) => {
        const sessionId = jobOf(wordsOf(request.messages))?.sessionId ?? ''
        const from = performance.now()
        this.#modelCalls++
        const reply = await model.ask(request, signal)
        const job = this.#jobs.get(sessionId)
        if (job) job.modelMs += performance.now() - from
        return reply
      },
    }
  }

  #store(store: Store): Store {
    const noting =
      <A extends unknown[], R>(call: Written['call'], rows: (args: A) => number, write: (...args: A) => R) =>
      (...args: A): R => {
        if (call === 'commit') this.#commits++
        this.#rows += rows(args)
        this.#recording?.push(structuredClone({ call, args }) as unknown as Written)
        return write(...args)
      }
    // What is not named here is the store's own.
    return Object.assign(Object.create(store) as Store, {
      commit: noting('commit', ([writes]) => writes.length, store.commit),
      steps: Object.assign(Object.create(store.steps), {
        append: noting('append', ([records, images]) => records.length + images.length, store.steps.append),
      }),
      tasks: Object.assign(Object.create(store.tasks), { end: noting('end', () => 1, store.tasks.end) }),
      usage: Object.assign(Object.create(store.usage), { record: noting('usage', () => 1, store.usage.record) }),
    })
  }

  #job(sessionId: string): Job {
    let job = this.#jobs.get(sessionId)
    if (!job) {
      job = { since: 0, modelMs: 0, step: 0 }
      this.#jobs.set(sessionId, job)
    }
    return job
  }
}
