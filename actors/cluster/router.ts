import { shardOf } from '../../machines/placement.ts'
import type { Inspection } from '../inspection/inspection.ts'
import { ANSWER_KEPT_MS, NODE_ASKED_MS_MAX, OWNER_ANSWER_MS_MAX, OWNER_MS_MAX, OWNER_RETRY_MS } from '../limits.ts'
import { messageOf } from '../runtime/effects.ts'
import { StoreUnwritable } from '../runtime/ports.ts'
import type { Messages } from './messages.ts'
import type { ClusterNode } from './node.ts'
import { type CallName, type Calls, callsOf, NOT_REPEATED, OwnerAway } from './owner-calls.ts'
import type { ShardService } from './shard-service.ts'

type Answer =
  | { readonly value?: unknown }
  | { readonly moved: true }
  | { readonly away: true }
  /** `store`: its store was away. A node that does not know of it takes it for any other error. */
  | { readonly error: string; readonly store?: boolean }

interface Call {
  /** Made at the edge: an owner answers the same call once. */
  readonly id: string
  readonly shard: number
  readonly name: CallName
  readonly args: readonly unknown[]
}

/** [M3] Carries calls to the owner of their workspace: here, or at another node. */
export class Router {
  readonly #node: ClusterNode
  readonly #messages: Messages
  readonly #inspection: Inspection | undefined
  readonly #answers = new Map<string, Promise<Answer | null>>()
  readonly #calls = new WeakMap<ShardService, Calls>()

  constructor(node: ClusterNode, messages: Messages, inspection: Inspection | undefined) {
    this.#node = node
    this.#messages = messages
    this.#inspection = inspection
  }

  /** Answers calls of other nodes. */
  serve(): void {
    this.#messages.serve(`${this.#node.id}.call`, (call: Call) => this.#once(call))
  }

  /** Nobody listens for calls of that node: its process ended, or its connection to the bus. `false` while not known. */
  async isGone(node: string): Promise<boolean> {
    if (!this.#messages.connected) return false
    const id = this.#node.ports.ids.uuid()
    return (await this.#messages.ask(`${node}.call`, { id, ...PING }, NODE_ASKED_MS_MAX)) === 'nobody'
  }

  /**
   * `args` gives the arguments, told whether an earlier owner may have seen them.
   * @throws OwnerAway when the owner cannot be reached, or is not known in time
   */
  async callOwner<Name extends CallName>(
    workspaceId: string,
    name: Name,
    args: (again: boolean) => Parameters<Calls[Name]>,
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    const { clock, ids } = this.#node.ports
    const shard = shardOf(workspaceId)
    const id = ids.uuid()
    const until = clock.now() + OWNER_MS_MAX
    // Who may have begun it and did not answer.
    let askedOwner: string | null = null
    for (;;) {
      const { node, epoch } = this.#node.ownerOf(shard)
      const owner = `${node} ${epoch}`
      if (askedOwner !== null && askedOwner !== owner && NOT_REPEATED.has(name)) throw new OwnerAway()
      const call = { id, shard, name, args: args(askedOwner !== null) }
      const answer = node === this.#node.id ? await this.#here(call) : await this.#there(node, call)
      if (answer !== null && 'error' in answer) throw new (answer.store ? StoreUnwritable : Error)(answer.error)
      if (answer !== null && 'away' in answer) throw new OwnerAway()
      if (answer !== null && !('moved' in answer)) return answer.value as never
      if (answer === null) askedOwner = owner
      if (clock.now() >= until || !this.#node.mayBeOwned(shard)) throw new OwnerAway()
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, OWNER_RETRY_MS))
      await this.#node.refreshView(2 * OWNER_RETRY_MS).catch(() => {})
    }
  }

  /** `null`: not known what became of it. */
  async #there(node: string | null, call: Call): Promise<Answer | null> {
    if (node === null) return MOVED
    if (!this.#messages.connected) throw new OwnerAway()
    const answer = await this.#messages.ask(`${node}.call`, call, OWNER_ANSWER_MS_MAX)
    if (answer === 'nobody') return MOVED
    return answer === 'late' ? null : (answer as Answer | null)
  }

  /** What it throws, this node's own caller sees as it is. */
  async #here(call: Call): Promise<Answer | null> {
    const service = this.#node.service(call.shard)
    if (!service?.isOpen) return MOVED
    return Promise.race([this.#run(service, call), service.gone.then(() => null)])
  }

  /**
   * [M4] `null`: another node has taken the shard meanwhile, and what it came to here may not be true. Where the store
   * does not answer, what needs it has failed already.
   */
  async #run(service: ShardService, { name, args }: Call): Promise<{ value: unknown } | null> {
    const calls = this.#calls.get(service) ?? callsOf(service, this.#inspection)
    this.#calls.set(service, calls)
    const value = await (calls[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
    const isOwn = this.#node.leaseIsSafe || (await service.owned.isOwn().catch(() => true))
    return isOwn ? { value } : null
  }

  /** `null`: it has given up the shard meanwhile. It may have happened: who asked asks the next owner. */
  #once(call: Call): Promise<Answer | null> {
    const service = this.#node.service(call.shard)
    if (!service?.isOpen) return Promise.resolve(MOVED)
    // A node that had lost the shard and has it again is another owner: what it was asked before it left has no answer.
    const key = `${call.id} ${service.owned.epoch}`
    const before = this.#answers.get(key)
    if (before) return before
    const run = this.#run(service, call).then(
      (answer): Answer | null => answer,
      (error: unknown): Answer => {
        if (error instanceof OwnerAway) return { away: true }
        return { error: messageOf(error), ...(error instanceof StoreUnwritable ? { store: true } : {}) }
      },
    )
    const answer = Promise.race([run, service.gone.then(() => null)])
    this.#answers.set(key, answer)
    this.#node.ports.clock.setTimeout(() => this.#answers.delete(key), ANSWER_KEPT_MS)
    return answer
  }
}

const MOVED = { moved: true } as const
/** A call of a shard that there is not: any node answers that it does not have it. */
const PING = { shard: -1, name: 'limitsLeft', args: [] } as const
