import type { Store } from '../runtime/ports.ts'

/** One of the processes that share a store. */
export interface NodeInfo {
  readonly id: string
  /** Where it listens. */
  readonly address: string
  /** It is going, and owns nothing new. */
  readonly leaving: boolean
  /** Up to which format it reads rows; left out: it does not say so. */
  readonly format?: number
  /** Whether it reaches the bus. */
  readonly reachesBus: boolean
  /** Since it last renewed itself, by the database's clock. */
  readonly silentMs: number
}

/** Who owns a shard, under which epoch; `null`: nobody. */
export interface ShardOwner {
  readonly node: string | null
  readonly epoch: number
  /** Under which epoch of its own the node writes; left out: nobody has had it yet. */
  readonly fence?: number
  /** The newest format that its rows may have; left out: any node reads them. */
  readonly format?: number
}

/** What the store knows of its nodes at one moment. */
export interface ClusterView {
  /** Those that renewed themselves lately, by the database's clock. */
  readonly nodes: readonly NodeInfo[]
  /** By shard. */
  readonly owners: readonly ShardOwner[]
}

/** A shard that this node owns. */
export interface OwnedShard {
  readonly shard: number
  readonly epoch: number
  /** In which its rows are written: every node that was there when it was acquired reads it. */
  readonly format: number
  /** The store as this shard sees it: every durable write is refused once another node has taken the shard over. */
  readonly store: Store
  /** Reads whether the epoch is still the newest one. Rejects when that cannot be read. */
  isOwn(): Promise<boolean>
  /** Calls the listener once, when this node has lost the shard: with all that it owned. */
  onLost(listener: () => void): void
  /** The next node may have it at once. Rejects when it is not certain that nothing is written of it any more. */
  release(): Promise<void>
}

/**
 * The shards of a store and their leases. Safety is the fence of the node, which each of its writes has to find as it
 * was: who takes over a shard raises it first. Who is alive is judged by the database's clock, and decides only who
 * should try.
 */
export interface Shards {
  /** The id of this node: another one at each start. */
  readonly node: string
  /** Of all nodes of the store, and of nobody else. */
  readonly cluster: string
  /** Renews this node and reads the others: one write, and one read while nothing has changed. Rejects when the store does not answer. */
  refreshView(about: Pick<NodeInfo, 'leaving' | 'reachesBus'>): Promise<ClusterView>
  /** One compare-and-set on what was seen, which raises the epoch. `null`: another node was faster. */
  acquire(shard: number, seen: ShardOwner): Promise<OwnedShard | null>
  /** Keeps a message that is too long for the bus, for a minute. */
  storeLargeMessage(id: string, text: string): Promise<void>
  largeMessage(id: string): Promise<string | null>
}

/** What a request across nodes came to. */
export type BusAnswer = { readonly text: string } | 'nobody' | 'late'

/** Messages between nodes, at most once each, those of one sender to one receiver in their order. It has no authority. */
export interface Bus {
  /** Whether messages can leave now. */
  connected(): boolean
  /** Dropped while not connected. */
  publish(subject: string, text: string): void
  /** Never rejects. `nobody`: no node listens there. */
  request(subject: string, text: string, ms: number): Promise<BusAnswer>
  /** What the handler resolves to is the answer, where one is waited for. */
  serve(subject: string, handler: (text: string) => Promise<string | null>): void
  /** It was away, and messages may be lost. */
  onReconnect(listener: () => void): void
  /** Messages and bytes that this node sent and received. */
  stats(): { outMsgs: number; inMsgs: number; outBytes: number; inBytes: number }
  close(): Promise<void>
}
