import type { AnyActorLogic } from 'xstate'
import type { BrowserLocale } from '../../machines/account-records.ts'
import type { ActorKind } from '../../machines/addresses.ts'
import type { PendingStart } from '../admission.ts'
import type { Conversations } from '../conversation/conversation.ts'
import type { ModelGateway } from '../conversation/model-gateway.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Vitals } from '../vitals.ts'
import type { WebhookDispatch } from '../webhook-dispatch.ts'
import type { EntryEffects } from './effects.ts'
import type { Ports } from './ports.ts'
import type { Registry } from './registry.ts'
import type { SnapshotWriter } from './snapshot-writer.ts'

/** What the actors of one service share. `actors/create-task-service.ts` makes it, the effects of each process use it. */
export interface ActorSystem {
  readonly ports: Ports
  readonly registry: Registry
  readonly snapshotWriter: SnapshotWriter
  readonly entryEffects: EntryEffects
  /** The log of events of every task. */
  readonly events: EventLog
  readonly conversations: Conversations
  /** The starts that are not answered yet, by task id. */
  readonly starts: Map<string, PendingStart>
  /** Every request to the language model goes through it. */
  readonly models: ModelGateway
  /** The tasks that wait in the queues of their workspaces. */
  readonly queued: Set<string>
  /** When a frame of each browser last arrived, by session id. */
  readonly heard: Map<string, number>
  /** The tools that each browser announced beside the seven, by session id; `null` for protocol 1. */
  readonly browserTools: Map<string, readonly string[] | null>
  /** Language and time zone of each browser that announced them, by session id. */
  readonly browserLocales: Map<string, BrowserLocale>
  /** The tab that each browser session last worked in, by session id. */
  readonly tabs: Map<string, { tabId: number | null; windowId: number | null }>
  readonly vitals: Vitals
  /** Begins the deliveries of events to webhook endpoints. */
  readonly webhooks: WebhookDispatch
  readonly retentionDays: number
  readonly auditRetentionDays: number | undefined
  /** Whether models check their answers before they count. */
  readonly verify: boolean
  /** The logic of each process, with its effects; created once. */
  readonly logic: Logic
}

/** What each process does: its machine, with its effects. */
export type Logic = Readonly<Record<Exclude<ActorKind, 'shard'>, AnyActorLogic>>
