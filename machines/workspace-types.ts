import type { ChildEvent, EffectCrashed } from './effects.ts'
import type { PoolBrowser, Pools } from './pools.ts'
import type { ProfileUse } from './profiles.ts'
import type { Queue } from './queue.ts'
import type { Allowance, Ending, Ms } from './records.ts'
import type { RefusalCode } from './texts.ts'
import type { WorkspaceLimits } from './workspace-limits.ts'

/** A slot of a running task: a `free` one (internal) costs nothing, a `charged` one is already paid for. */
export type Slot = 'held' | 'charging' | 'charged' | 'free'

/** What a workspace remembers: recent starts and running tasks. */
export interface WorkspaceContext {
  readonly workspaceId: string
  /** The limits of the workspace, as they were last read. */
  readonly limits: WorkspaceLimits
  /** Starts that passed the rate check, oldest first. */
  readonly startTimes: readonly Ms[]
  readonly running: Readonly<Record<string, Slot>>
  /** Counts released slots: an allowance read at an earlier version may be out of date. */
  readonly slotVersion: number
  /** The starts that wait. They hold no slot, and are counted against the rate when they leave it. */
  readonly queue: Queue
  /** [Z2] The browsers of pools, and who has a place in which. */
  readonly pools: Pools
  /** When the rate allows the next queued start. */
  readonly rateFreeAt: Ms
  /** It exceeded the restart limit. */
  readonly gaveUp: boolean
  /** When children were restarted, per address, within RESTART_WINDOW_MS. */
  readonly restarts: Readonly<Record<string, readonly Ms[]>>
}

/** What is to be decided about a start, whether it is requested now or waits in the queue. */
export interface Question {
  readonly taskId: string
  readonly facts: Facts
  /** The allowance is not read again: the decision is made on this value. */
  readonly final: boolean
  readonly at: Ms
}

/** [T7–T13] What the checks need to know. */
export interface Facts {
  readonly allowance: Allowance
  /** The workspace's slotVersion when the allowance was read. */
  readonly slotVersion: number
  readonly session: 'missing' | SessionFacts | PoolFacts
}

/** [Z2, Z11] The pool and the profile that a start asks for. */
export interface PoolFacts {
  readonly pool: string
  readonly profile?: ProfileUse | undefined
}

/** A browser that a start names. One of a pool is not named: its workspace chooses it. */
export interface SessionFacts {
  readonly own: boolean
  readonly connected: boolean
  readonly expiresAt: Ms
}

/** Why a start is refused, with what the answer needs. */
export interface AdmissionRefusal {
  readonly code: RefusalCode
  readonly message: string
  readonly allowance: Allowance | null
  readonly retryAfterSeconds: number | null
}

/** What a workspace decides on a start. */
export type Decision =
  /** `waitsFor`: it waits in the queue, and its task is started as well, in the state `queued`. */
  | {
      readonly type: 'granted'
      readonly waitsFor: 'limit' | 'browser' | null
      /** [Z2] The browser of the pool in which it has its place. */
      readonly sessionId?: string | undefined
    }
  /** The allowance may have changed since it was read. */
  | { readonly type: 'stale' }
  | { readonly type: 'refused'; readonly refusal: AdmissionRefusal }

/** A start that the workspace is asked to decide. */
export interface Candidate extends Question {
  /** Absent or `null`: it is refused where it would have to wait. */
  readonly queueing?: Queueing | null
}

/** [T59, T60] What a start waits for instead of being refused, and how. */
export interface Queueing {
  readonly onLimit: boolean
  readonly onAway: boolean
  readonly sessionId: string
  readonly pool?: string
  readonly profile?: ProfileUse
  readonly priority: number
  /** Keys take turns. */
  readonly key: string
}

export type WorkspaceEvent =
  /** A client wants to start a task. */
  | ({ type: 'admission.http' } & Candidate)
  /** The user of a browser wants to start a task. */
  | ({ type: 'admission.relay' } & Candidate)
  /** The schedule wants to start a task. */
  | ({ type: 'admission.internal' } & Candidate)
  /** Its record could not be written, or perhaps only in part: whatever was written is ended. */
  | { type: 'start.failed'; taskId: string; message: string; at: Ms }
  /** The credit of a task was taken. */
  | { type: 'task.charged'; taskId: string }
  /** Its final write is done: its slot is free. */
  | { type: 'task.written'; taskId: string }
  /** A record says `running`, and no actor runs it. */
  | { type: 'task.orphaned'; ending: Ending; billed: boolean }
  /** It supervises no actors: it may stop if it is idle. */
  | { type: 'workspace.rest'; at: Ms }
  /** A queued task has its actor: it may be called when its turn comes. */
  | { type: 'queue.ready'; taskId: string }
  /** What was looked up about the next queued start. */
  | ({ type: 'queue.found' } & Question)
  /** The next queued start has no task any more. */
  | { type: 'queue.gone'; taskId: string }
  /** The queue is to be checked again. */
  | { type: 'queue.due'; at: Ms }
  /** A browser of the workspace has connected. */
  | { type: 'browser.connected'; sessionId: string }
  /** A browser of a pool has connected. */
  | { type: 'pool.joined'; sessionId: string; browser: PoolBrowser }
  /** A browser of a pool is gone. */
  | { type: 'pool.left'; sessionId: string }
  /** [Z5] The browser of a running task is gone: it wants another one of its pool. */
  | { type: 'place.wanted'; taskId: string; pool: string }
  /** [Z12] The profile of an ended task was saved, or was not saved in time. */
  | { type: 'profile.released'; taskId: string }
  /** The limits were read, and differ from those in the context. */
  | { type: 'limits.changed'; limits: WorkspaceLimits }
  /** The service stops: the queue is kept, and nothing leaves it any more. */
  | { type: 'workspace.stop' }
  | ChildEvent
  | EffectCrashed
