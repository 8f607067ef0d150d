import type { AnyActorLogic } from 'xstate'
import type { BrowserLocale } from '../../machines/account-records.ts'
import type { ActorKind } from '../../machines/addresses.ts'
import type { Decision } from '../../machines/workspace-types.ts'
import type { ModelGateway } from '../conversation/browser-model-retries.ts'
import type { Conversations } from '../conversation/conversation.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Vitals } from '../vitals.ts'
import type { WebhookCalls } from '../webhook-calls.ts'
import type { EntryEffects } from './effects.ts'
import type { Ports } from './ports.ts'
import type { Registry } from './registry.ts'
import type { SnapshotWriter } from './snapshot-writer.ts'

/** How actors reach each other, and how they are kept. */
export interface Messages {
  readonly ports: Ports
  readonly registry: Registry
  readonly snapshotWriter: SnapshotWriter
  readonly entryEffects: EntryEffects
  /** The logic of each process, with its effects; created once. */
  readonly logic: Logic
  /** Runs its argument in a later turn of the event loop. */
  readonly soon: (work: () => void) => void
}

/** What tasks do and have done. */
export interface TaskLogs {
  /** The log of events of every task. */
  readonly events: EventLog
  readonly conversations: Conversations
  readonly vitals: Vitals
  /** [D23] What was found damaged, and set aside. */
  readonly damaged: Set<string>
}

/** The starts that are not answered yet, and the tasks that wait. */
export interface Starts {
  /** By task id. */
  readonly starts: Map<string, PendingStart>
  /** The tasks that wait in the queues of their workspaces. */
  readonly queued: Set<string>
}

/** What is known of browsers beside the state of their sessions, by session id. */
export interface Browsers {
  /** When a frame last arrived. */
  readonly heard: Map<string, number>
  /** The tools that each announced beside the seven; `null` for protocol 1. */
  readonly browserTools: Map<string, readonly string[] | null>
  /** Language and time zone of those that announced them. */
  readonly browserLocales: Map<string, BrowserLocale>
  /** [Z1] Those that belong to pools. */
  readonly poolSessions: Set<string>
  /** The tab that each last worked in. */
  readonly tabs: Map<string, { tabId: number | null; windowId: number | null }>
}

export interface Models {
  /** Every request to the language model goes through it. */
  readonly models: ModelGateway
  /** Whether models check their answers before they count. */
  readonly verify: boolean
}

/** Begins the deliveries of events to webhook endpoints. */
export interface Dispatch {
  /** Resumes serving all endpoints. */
  start(): Promise<void>
  /** A workspace has an endpoint. */
  follow(workspaceId: string): void
  /** Whether deliveries of all durable events have been started. */
  readonly isIdle: boolean
}

/** All parts of one service. `actors/create-task-service.ts` makes it; what needs one part asks for that. */
export interface ActorSystem extends Messages, TaskLogs, Starts, Browsers, Models {
  readonly webhooks: Dispatch
  readonly webhookCalls: WebhookCalls
  readonly retentionDays: number
  readonly auditRetentionDays: number | undefined
  readonly sweepsAll: boolean
}

/** A request to start a task that is not answered yet. */
export interface PendingStart {
  readonly workspaceId: string
  /** Passes it the decision of its workspace, or `null` if there will be none; `null` while none is awaited. */
  decide: ((decision: Decision | null) => void) | null
  /** Resolves when the task has begun, or the start is refused; never rejects. */
  over: Promise<unknown>
}

/** What each process does: its machine, with its effects. */
export type Logic = Readonly<Record<Exclude<ActorKind, 'shard'>, () => AnyActorLogic>>
