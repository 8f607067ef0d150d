import { serviceAddress } from '../machines/addresses.ts'
import { STORE_RETRY_MS } from '../machines/limits.ts'
import { deliver } from './delivery.ts'
import { EVENTS_DISPATCHED_MAX } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'
import { isWebhookEvent, webhookEventOf } from './webhook-events.ts'

/**
 * [W12] Reads the event logs of workspaces that have webhook endpoints, and begins a delivery of each event to each endpoint
 * that wants it. An endpoint's record says up to which position of its log it was served: a process that died goes on
 * there, and an event that was served already has its delivery.
 */
export class WebhookDispatch {
  readonly #of: () => ActorSystem
  readonly #followed = new Map<string, () => void>()
  readonly #busy = new Set<string>()
  readonly #again = new Set<string>()
  /** Up to where the endpoints of a workspace were served; in their records only what is worth a write. */
  readonly #served = new Map<string, ReadonlyMap<string, number>>()

  constructor(of: () => ActorSystem) {
    this.#of = of
  }

  get #system(): ActorSystem {
    return this.#of()
  }

  /** Resumes serving all endpoints. */
  async start(): Promise<void> {
    for await (const { workspaceId } of this.#system.ports.store.endpoints.all()) this.follow(workspaceId)
  }

  /** A workspace has an endpoint. */
  follow(workspaceId: string): void {
    if (this.#followed.has(workspaceId)) return
    const unfollow = this.#system.events.follow(workspaceId, () => this.#wake(workspaceId))
    this.#followed.set(workspaceId, unfollow)
    this.#wake(workspaceId)
  }

  /** Whether deliveries of all durable events have been started. */
  get isIdle(): boolean {
    return this.#busy.size === 0
  }

  #wake(workspaceId: string): void {
    if (this.#busy.has(workspaceId)) this.#again.add(workspaceId)
    else void this.#run(workspaceId)
  }

  async #run(workspaceId: string): Promise<void> {
    const { ports, registry } = this.#system
    this.#busy.add(workspaceId)
    // A process that stops leaves the rest to the next one.
    for (let more = true; more && registry.has(serviceAddress); ) {
      this.#again.delete(workspaceId)
      try {
        more = await this.#dispatch(workspaceId)
      } catch (error) {
        ports.log.warn({ err: messageOf(error) }, 'Webhooks wait for the store')
        await new Promise<void>((resolve) => ports.clock.setTimeout(resolve, STORE_RETRY_MS))
      }
      more ||= this.#again.has(workspaceId)
    }
    this.#busy.delete(workspaceId)
  }

  /** Serves the next events. Resolves to whether there are more. */
  async #dispatch(workspaceId: string): Promise<boolean> {
    const { events, ports } = this.#system
    const endpoints = await ports.store.endpoints.list(workspaceId)
    if (endpoints.length === 0) {
      this.#followed.get(workspaceId)?.()
      this.#followed.delete(workspaceId)
      this.#served.delete(workspaceId)
      return false
    }
    const before = this.#served.get(workspaceId)
    const served = new Map(endpoints.map(({ id, position }) => [id, Math.max(position, before?.get(id) ?? 0)]))
    // Endpoints that are gone are not in it.
    this.#served.set(workspaceId, served)
    const from = Math.min(...served.values())
    const to = events.horizon(workspaceId)
    if (from >= to) return false
    const records = await ports.store.events.ofWorkspace(workspaceId, from, to, EVENTS_DISPATCHED_MAX)
    const isFull = records.length === EVENTS_DISPATCHED_MAX
    const position = isFull ? (records.at(-1)?.position ?? to) : to
    for (const endpoint of endpoints) {
      const servedTo = served.get(endpoint.id) ?? 0
      const wanted = records.filter(
        (record) => record.position > servedTo && isWebhookEvent(record.event, endpoint.types),
      )
      for (const { event } of wanted) await deliver(this.#system, endpoint, webhookEventOf(event))
      if (position <= servedTo) continue
      served.set(endpoint.id, position)
      if (wanted.length > 0 || isFull) await ports.store.endpoints.update(endpoint.id, { position })
    }
    return isFull
  }
}
