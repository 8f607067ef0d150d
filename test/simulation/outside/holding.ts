import { isHarmless } from '../../../machines/approval.ts'
import { RELEASE } from '../../../machines/held.ts'
import type { TaskContext } from '../../../machines/task-types.ts'
import type { ReleaseInput } from '../../../src/wire/held.ts'
import { anOrder } from '../../support/held.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'

type Frame = Record<string, unknown>

/** The call that carries a user's answer out, as the row of its task has it. */
export interface Release {
  readonly requestId: string
  readonly action: 'accept' | 'decline'
  /** The request that was answered. */
  readonly answered: string
}
export const releaseOf = (context: TaskContext | undefined): Release | null =>
  context?.release ? { ...context.release, answered: context.answered.at(-1) ?? '' } : null

export interface HoldingOptions {
  readonly protocol: 1 | 2
  readonly random: Random
  readonly watch: Pick<Watch, 'held' | 'letGo' | 'ranUnheld'>
}

/** [I5] What a browser holds of tasks with approvals until it may let go of it. It forgets it with its memory. */
export class Holding {
  readonly #options: HoldingOptions
  /** By its id, with its total: its terms. */
  readonly #holds = new Map<string, string>()

  constructor(options: HoldingOptions) {
    this.#options = options
  }

  /** The answer to a call that it holds, lets go or drops; `null`: the call is run as it is. */
  answer(requestId: string, given: Frame): Frame | null {
    const { random, watch, protocol } = this.#options
    if (given.approvals === undefined) return null
    const [tool, input] = [String(given.tool), given.input as Frame]
    if (protocol === 1) {
      watch.ranUnheld({ requestId, tool, input })
      return null
    }
    if (tool !== RELEASE) return !isHarmless({ tool, input }) && random.chance(0.8) ? this.#hold(requestId) : null
    return this.#release(requestId, input as unknown as ReleaseInput)
  }

  /** What was approved is let go if it is what it was. */
  #release(requestId: string, { held, action, terms }: ReleaseInput): Frame {
    const { random, watch } = this.#options
    const total = this.#holds.get(held)
    if (total === undefined) return { error: 'It is gone' }
    this.#holds.delete(held)
    if (action === 'decline') return { result: 'dropped' }
    if (anOrder(total).terms !== terms || random.chance(0.3)) return this.#hold(requestId)
    watch.letGo(held)
    return random.chance(0.2) ? this.#hold(requestId) : { result: 'ordered' }
  }

  #hold(requestId: string): Frame {
    const { random, watch } = this.#options
    const [id, total] = [random.uuid(), String(random.whole(1, 2))]
    this.#holds.set(id, total)
    watch.held(requestId, id)
    return { held: anOrder(total, { id }) }
  }
}
