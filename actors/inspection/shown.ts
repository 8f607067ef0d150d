import type { Address } from '../../machines/addresses.ts'
import type { Ms } from '../../machines/records.ts'
import type { PausedBy } from '../../machines/task-types.ts'
import type { Message } from '../conversation/model-port.ts'

/** What the pages of the inspector are sent, and who may see it. */

/** What a reader may see, asked again while a stream is open. */
export interface AccessScope {
  sees(workspaceId: string | null): boolean
  /** Those that are the viewer's own. */
  readonly workspaces: readonly string[]
  stillAllowed(): Promise<boolean>
  /** Whose streams are counted together; `null`: the owner's, which are not counted. */
  readonly counted: string | null
}

/** An actor in a list. There may be very many: it has what a list shows, and no more. */
export interface ActorLine {
  readonly address: Address
  readonly state: string
  /** When it entered that state; `null` if it was not watched then. */
  readonly since: Ms | null
  readonly deadlineAt: Ms | null
  readonly about?: ActorAbout
  /** The other node at which it lives; left out: at this one. */
  readonly node?: string
}

/** What it works on, and who holds it: ids and words of the service itself, no text of anybody. */
export interface ActorAbout {
  readonly taskId?: string
  readonly tool?: string
  readonly endpointId?: string
  /** Of a task that is paused. */
  readonly pausedBy?: readonly PausedBy[]
}

/** An actor in detail. It holds no secret, and nothing that came from a page. */
export interface ActorDetail extends ActorLine {
  readonly startedAt: Ms
  readonly endedAt: Ms | null
  readonly supervisor: Address | null
  /** Every state that it is in, outer first: `running`, `running.askingModel.thinking`. */
  readonly states: readonly string[]
  readonly accepts: readonly string[]
  readonly context: unknown
  /** Oldest first. */
  readonly transitions: readonly ShownTransition[]
  /** The messages between it and the actors that work on the same task, oldest first. */
  readonly messages: readonly ShownMessage[]
}

export interface ShownTransition {
  readonly seq: number
  readonly at: Ms
  readonly event: string
  /** The address of the sender, or the cause of the event. */
  readonly from: string
  /** The state that it led to: in one word, and all of them. */
  readonly state: string
  readonly states: readonly string[]
  /** What the event carried, redacted; `null`: nothing. */
  readonly payload: object | null
}

export interface ShownMessage {
  readonly seq: number
  readonly at: Ms
  readonly from: string
  readonly to: string
  readonly event: string
}

/** The transitions of a finished task, for replay: when, by which event, into which states. */
export type Trace = readonly (readonly [at: Ms, event: string, states: readonly string[]])[]

/** What a machine is, and what each of its states, events and guards means, in one sentence; by path or name. */
export interface Sentences extends Readonly<Record<'states' | 'events' | 'guards', Readonly<Record<string, string>>>> {
  readonly about: string
}

/** What a model was sent for one reply. Images are left out; secrets are the placeholders that the model reads. */
export interface SentRequest {
  readonly model: string
  /** `null`: of another version of the service, whose text is not kept. */
  readonly system: string | null
  /** The names of the tools that it was offered. */
  readonly tools: readonly string[]
  readonly messages: readonly { readonly role: Message['role']; readonly text: string }[]
}
