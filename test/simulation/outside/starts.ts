import type { StartAnswer, StartTask, Waiting } from '../../../actors/task-service.ts'
import type { Door } from '../../../machines/records.ts'
import { THE_WORLD } from '../engine/scheduler.ts'
import type { Asking, ClientsOptions, Reached } from './asking.ts'
import { anyTemper } from './model.ts'

const START_ATTEMPTS = 5
const START_PATIENCE_MS = 15_000

/** `decider`: who decided, where that is known. */
type Answered = (answer: StartAnswer, decider: string | null) => void

const deciderAt = ({ decider, life }: Reached, workspaceId: string): string | null =>
  decider ? decider(workspaceId) : `life ${life.number}`

/** Where another decides when the answer is there, it is not known who decided. */
const same = (before: string | null, now: string | null): string | null => (before === now ? now : null)

/** Starts of tasks, through every door. */
export class Starts {
  /** Keys whose starts may be sent again. */
  readonly open = new Set<string>()
  readonly #options: ClientsOptions
  readonly #asks: Asking

  constructor(options: ClientsOptions, asks: Asking) {
    this.#options = options
    this.#asks = asks
  }

  start(workspaceId: string): void {
    const { random, browsers, reach, watch, scheduler, queueing, asking } = this.#options
    const own = random.pick(browsers.get(workspaceId) ?? [])
    const temper = anyTemper(random)
    const words = `Task ${random.hex(8)} ${temper}`
    const door: Door = random.pick(['http', 'http', 'http', 'relay', 'internal'])
    if (door === 'relay') return void own.createTask(random.uuid(), words)
    const at = reach()
    if (!at) return
    const foreign = random.pick(random.pick([...browsers.values()]))
    const browserSessionId = random.chance(0.95)
      ? own.sessionId
      : random.chance(0.5)
        ? foreign.sessionId
        : random.uuid()
    const request = {
      task: words,
      url: random.chance(0.3) ? 'https://shop.example/' : null,
      context: null,
      browserSessionId,
      webhookUrl: random.chance(0.5) ? 'https://client.example/hook' : null,
      ...(asking > 0 && random.chance(asking) ? { approvals: 'always' as const } : {}),
      outputSchema: random.chance(0.3) ? '{"type":"object"}' : null,
      maxSteps: random.chance(0.2) ? random.whole(1, 8) : null,
      maxTokens: random.chance(0.2) ? random.whole(500, 20_000) : null,
    }
    const waiting = door === 'http' && queueing > 0 && random.chance(queueing) ? this.#waiting() : null
    const start: StartTask = {
      door,
      workspaceId,
      apiKeyId: 'key',
      requestId: null,
      request,
      ...(waiting ? { waiting } : {}),
    }
    const answered = (answer: StartAnswer, decider: string | null) => {
      if (answer.ok) {
        watch.acknowledge(answer.task.id)
        scheduler.trace.happened(`client: granted ${answer.task.id.slice(-4)} ${temper}`)
      } else {
        scheduler.trace.happened(`client: refused ${answer.refusal.code}`)
        // One that would wait for the rate is not counted when it is refused for another reason.
        if (door === 'http' && !waiting?.onLimit && decider !== null)
          watch.refused(decider, workspaceId, answer.refusal.code, at.now())
      }
    }
    if (at.startOnce && door === 'http') this.#startOnce(start, random.uuid(), answered)
    else {
      const decider = deciderAt(at, workspaceId)
      const ask = () => at.taskService.startTask(start)
      this.#asks.request('start', at, ask, (answer) => answered(answer, same(decider, deciderAt(at, workspaceId))))
    }
  }

  /** Sent again, wherever somebody listens, until it is answered. */
  #startOnce(start: StartTask, key: string, answered: Answered, left = START_ATTEMPTS): void {
    const { scheduler, random, reach } = this.#options
    const at = reach()
    let isOver = false
    this.open.add(key)
    const again = () => {
      if (isOver) return
      isOver = true
      if (left === 0) {
        this.open.delete(key)
        return
      }
      scheduler.after(random.between(100, 3_000), THE_WORLD, 'a client starts again', () =>
        this.#startOnce(start, key, answered, left - 1),
      )
    }
    if (!at?.startOnce) {
      again()
      return
    }
    const { startOnce } = at
    const decider = deciderAt(at, start.workspaceId)
    scheduler.after(START_PATIENCE_MS, THE_WORLD, 'a client waits no more', again)
    this.#asks.request(
      'start',
      at,
      () => startOnce(key, start),
      (answer) => {
        isOver = true
        answered(answer, same(decider, deciderAt(at, start.workspaceId)))
        if (answer.ok && random.chance(0.3)) this.#repeat(start, key, answer.task.id)
        else this.open.delete(key)
      },
      again,
    )
  }

  /** [E21] Sent once more, maybe elsewhere: it is the same task. */
  #repeat(start: StartTask, key: string, taskId: string): void {
    const { scheduler, random, reach, watch } = this.#options
    scheduler.after(random.between(1, 6_000), THE_WORLD, 'a client repeats', () => {
      this.open.delete(key)
      const at = reach()
      if (!at?.startOnce) return
      const { startOnce } = at
      this.#asks.request(
        'start',
        at,
        () => startOnce(key, start),
        (answer) => {
          if (!answer.ok) watch.broken(`${taskId} is refused when its start is repeated: ${answer.refusal.code}`)
          else if (answer.task.id !== taskId) watch.broken(`a start is two tasks: ${taskId} and ${answer.task.id}`)
        },
      )
    })
  }

  #waiting(): Waiting {
    const { random } = this.#options
    const [onLimit, onAway] = random.pick([
      [true, false],
      [false, true],
      [true, true],
    ])
    const queueTtlMs = random.whole(5_000, 300_000)
    return { onLimit, onAway, priority: random.whole(1, 5), queueTtlMs, waitTtlMs: random.whole(5_000, 300_000) }
  }
}
