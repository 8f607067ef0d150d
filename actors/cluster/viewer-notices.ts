import { shardOf } from '../../machines/placement.ts'
import type { Ms } from '../../machines/records.ts'
import type { EventRecord } from '../../machines/task-log.ts'
import { joined } from '../events/joined.ts'
import type { LiveWords } from '../events/live-words.ts'
import { NOTICES_EVERY_MS, SUBSCRIPTION_MS, VIEWERS_LOOK_EVERY_MS } from '../limits.ts'
import type { Clock } from '../runtime/ports.ts'
import type { Messages } from './messages.ts'
import type { ShardService } from './shard-service.ts'

/** Receives a picture of the tab, a JPEG in base64. */
type OnFrame = (jpeg: string) => void

/** The tabs of browsers, for those who look at them. */
export interface LiveTabs {
  refusal(taskId: string, sessionId: string): 'no_live_view' | 'too_many_viewers' | null
  /** Returns a function that unsubscribes. */
  watch(taskId: string, sessionId: string, onFrame: OnFrame): () => void
}

/** `events/<shard>`, `words/<shard>/<task>` or `tab/<session>/<task>`. */
type Topic = string
type Listener = (payload: never) => void
type Changed = readonly [workspaceId: string, taskId: string]

/** All topics that a node subscribes to, until it says so again or SUBSCRIPTION_MS have passed. */
interface Subscription {
  readonly node: string
  readonly topics: readonly Topic[]
}
interface Subscriber {
  readonly topics: ReadonlySet<Topic>
  readonly expiresAt: Ms
}
/** `payload` of `events/<shard>`: what changed; `null`: anything of the shard may have. */
interface Notice {
  readonly topic: Topic
  readonly payload: unknown
}
/** What is published while a topic has subscribers. */
interface Source {
  readonly end: () => void
  readonly isCurrent: () => boolean
}

export interface EventNoticesOptions {
  readonly node: string
  readonly clock: Clock
  readonly messages: Messages
  readonly isHere: (sessionId: string) => boolean
  readonly serviceOf: (shard: number) => ShardService | undefined
}

/**
 * [M6 M12] What viewers at any node are told by the node that has it: that there is more to read of a log, the words of a
 * reply while they come, and pictures of tabs. Each node sends one list of what its viewers wait for, again and again; without
 * viewers nothing is sent. Notices may be lost: viewers also read the log at intervals.
 */
export class EventNotices {
  readonly #options: EventNoticesOptions
  readonly #listeners = new Map<Topic, Set<Listener>>()
  readonly #viewers = new Map<string, Set<() => void>>()
  readonly #subscribers = new Map<string, Subscriber>()
  readonly #sources = new Map<Topic, Source>()
  /** What was last shown of tabs, for a viewer that comes later. */
  readonly #frames = new Map<Topic, string>()
  #changed = new Map<number, Map<string, Changed>>()
  #flush: unknown = null
  #renewal: unknown = null
  #announcement: unknown = null
  #tabs: LiveTabs | null = null

  constructor(options: EventNoticesOptions) {
    this.#options = options
  }

  serve(): void {
    const { messages, node } = this.#options
    messages.serve('subscriptions', (subscription: Subscription) => this.#subscribed(subscription))
    messages.serve(`${node}.notices`, ({ topic, payload }: Notice) => {
      if (topic.startsWith('tab/') && this.#listeners.has(topic)) this.#frames.set(topic, payload as string)
      if (topic.startsWith('events/') && payload !== null) this.#tellViewers(payload as readonly Changed[])
      else this.#tell(topic, payload)
    })
    this.renew()
  }

  /** Says again what viewers here wait for, and has them look: messages may have been lost. Does so every 5 s by itself. */
  renew(): void {
    const { clock } = this.#options
    clock.clearTimeout(this.#renewal)
    this.#renewal = clock.setTimeout(() => this.renew(), VIEWERS_LOOK_EVERY_MS)
    if (this.#listeners.size > 0) this.#announce()
    for (const [id, { expiresAt }] of this.#subscribers) if (expiresAt <= clock.now()) this.#subscribers.delete(id)
    this.#reconcile()
    for (const viewers of [...this.#viewers.values()]) for (const tell of [...viewers]) tell()
  }

  stop(): void {
    for (const timer of [this.#flush, this.#renewal, this.#announcement]) this.#options.clock.clearTimeout(timer)
    for (const { end } of this.#sources.values()) end()
    this.#sources.clear()
  }

  /** An event was kept here. */
  kept({ workspaceId, taskId }: EventRecord): void {
    const shard = shardOf(workspaceId)
    const own = this.#changed.get(shard) ?? new Map<string, Changed>()
    this.#changed.set(shard, own.set(taskId, [workspaceId, taskId]))
    this.#flush ??= this.#options.clock.setTimeout(() => {
      const changed = this.#changed
      this.#changed = new Map()
      this.#flush = null
      for (const [of, tasks] of changed) {
        const all = [...tasks.values()]
        this.#tellViewers(all)
        this.#publish(`events/${of}`, all)
      }
    }, NOTICES_EVERY_MS)
  }

  /** Calls the viewer when there may be more to read of a task, or of a workspace. Returns a function that unsubscribes it. */
  watch(id: string, workspaceOf: () => Promise<string>, viewer: () => void): () => void {
    const leave = joined(this.#viewers, id, () => viewer())
    const end = this.#subscribeOf(workspaceOf(), (shard) => `events/${shard}`, viewer)
    return () => {
      leave()
      end()
    }
  }

  /** How many watch a task, or a workspace. */
  viewers(id: string): number {
    return this.#viewers.get(id)?.size ?? 0
  }

  /** Calls the listener with the words of a reply while they come. */
  hear(taskId: string, workspaceOf: () => Promise<string>, listener: (words: LiveWords) => void): () => void {
    return this.#subscribeOf(workspaceOf(), (shard) => `words/${shard}/${taskId}`, listener)
  }

  /** The tabs of all nodes, given those of this one. */
  ofAll(tabs: LiveTabs): LiveTabs {
    this.#tabs = tabs
    return {
      refusal: (taskId, sessionId) => tabs.refusal(taskId, sessionId),
      watch: (taskId, sessionId, onFrame) => {
        const topic = `tab/${sessionId}/${taskId}`
        const ends = [tabs.watch(taskId, sessionId, onFrame), this.#subscribe(topic, onFrame)]
        const frame = this.#frames.get(topic)
        if (frame !== undefined && !this.#options.isHere(sessionId)) onFrame(frame)
        return () => {
          for (const end of ends) end()
          if (!this.#listeners.has(topic)) this.#frames.delete(topic)
        }
      },
    }
  }

  #tellViewers(all: readonly Changed[]): void {
    for (const ids of all) for (const id of ids) for (const tell of [...(this.#viewers.get(id) ?? [])]) tell()
  }

  #subscribeOf(workspace: Promise<string>, topicOf: (shard: number) => Topic, listener: Listener): () => void {
    let end: (() => void) | null = null
    let isOver = false
    void workspace
      .then((workspaceId) => {
        if (!isOver) end = this.#subscribe(topicOf(shardOf(workspaceId)), listener)
      })
      .catch(() => {})
    return () => {
      isOver = true
      end?.()
    }
  }

  #subscribe(topic: Topic, listener: Listener): () => void {
    const announceIfNew = () => {
      if (!this.#listeners.has(topic)) this.#announceSoon()
    }
    announceIfNew()
    // Wrapped, because the same function may listen twice.
    const end = joined(this.#listeners, topic, (payload: never) => listener(payload))
    this.#reconcile()
    return () => {
      end()
      announceIfNew()
    }
  }

  #announceSoon(): void {
    this.#announcement ??= this.#options.clock.setTimeout(() => {
      this.#announcement = null
      this.#announce()
      this.#reconcile()
    }, NOTICES_EVERY_MS)
  }

  #announce(): void {
    const { messages, node } = this.#options
    messages.tell('subscriptions', { node, topics: [...this.#listeners.keys()] } satisfies Subscription)
  }

  #subscribed({ node, topics }: Subscription): void {
    if (node === this.#options.node) return
    const before = this.#subscribers.get(node)
    const expiresAt = this.#options.clock.now() + SUBSCRIPTION_MS
    this.#subscribers.set(node, { topics: new Set(topics), expiresAt })
    for (const topic of topics) if (!before?.topics.has(topic)) this.#begin(node, topic)
    this.#reconcile()
  }

  /** A later subscriber sees a page that does not change, and events that were kept before its subscription arrived. */
  #begin(node: string, topic: Topic): void {
    const [kind, of] = topic.split('/')
    if (kind === 'tab') this.#end(topic)
    if (kind === 'events' && this.#options.serviceOf(Number(of))?.isOpen)
      this.#options.messages.tell(`${node}.notices`, { topic, payload: null } satisfies Notice)
  }

  #publish(topic: Topic, payload: unknown): void {
    for (const [node, { topics }] of this.#subscribers)
      if (topics.has(topic)) this.#options.messages.tell(`${node}.notices`, { topic, payload } satisfies Notice)
  }

  #tell(topic: Topic, payload: unknown): void {
    for (const tell of [...(this.#listeners.get(topic) ?? [])]) tell(payload as never)
  }

  #end(topic: Topic): void {
    this.#sources.get(topic)?.end()
    this.#sources.delete(topic)
  }

  /** Begins what subscribers wait for and this node has, and ends the rest. */
  #reconcile(): void {
    const own = [...this.#listeners.keys()].filter((topic) => topic.startsWith('words/'))
    const wanted = new Set([...own, ...[...this.#subscribers.values()].flatMap(({ topics }) => [...topics])])
    for (const [topic, { isCurrent }] of this.#sources) if (!wanted.has(topic) || !isCurrent()) this.#end(topic)
    for (const topic of wanted) {
      if (this.#sources.has(topic)) continue
      const source = this.#open(topic)
      if (source) this.#sources.set(topic, source)
    }
  }

  #open(topic: Topic): Source | null {
    const { isHere, serviceOf } = this.#options
    const [kind, of = '', taskId = ''] = topic.split('/')
    if (kind === 'tab' && this.#tabs && isHere(of)) {
      const end = this.#tabs.watch(taskId, of, (jpeg) => this.#publish(topic, jpeg))
      return { end, isCurrent: () => isHere(of) }
    }
    const service = kind === 'words' ? serviceOf(Number(of)) : undefined
    if (!service?.isOpen) return null
    const end = service.running.system.events.live.listen(taskId, (words) => {
      this.#tell(topic, words)
      this.#publish(topic, words)
    })
    return { end, isCurrent: () => serviceOf(Number(of)) === service }
  }
}
