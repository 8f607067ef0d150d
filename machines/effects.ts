import { type AnyEventObject, fromCallback } from 'xstate'
import type { Address } from './addresses.ts'
import type { Ms } from './records.ts'

/**
 * An effect that a machine names and `actors/` provides. It is started with its input, answers by events, and is
 * stopped when its state is left. After a crash it is started again with the same input: it is at least once.
 */
export const effect = <Input>() =>
  fromCallback<AnyEventObject, Input>(() => {
    throw new Error('This effect is provided by actors/')
  })

/**
 * In place of `invoke` for the effects that every step of a task has: its entry action begins the effect and its exit
 * ends it. An invoked actor costs more than all else that a step does (decision 10). It is not restored with its
 * snapshot: such a state is entered again when its actor comes back.
 */
export const during = <Action>(entry: Action) => ({ entry, exit: 'endEffect' }) as const

/** An action that a machine names and `actors/` provides. */
export const provided =
  <Params = undefined>(name: string) =>
  (_: unknown, _params: Params): void => {
    throw new Error(`${name} is provided by actors/`)
  }

/** An effect threw or rejected: a bug, not an expected failure. */
export interface EffectCrashed {
  readonly type: 'effect.crashed'
  readonly message: string
  readonly at: Ms
}

/**
 * A kept wait. `after` is not restored with a snapshot, an invoked alarm is. `at` keeps its time through a restart,
 * `inMs` starts afresh. Either way the event that comes carries `at`, the time it is then.
 */
export type AlarmInput =
  | { readonly event: string; readonly at: Ms; readonly inMs?: never }
  | { readonly event: string; readonly inMs: number; readonly at?: never }

/** A message to another actor, by its address. */
export interface Post {
  readonly to: Address
  readonly event: AnyEventObject
}

/** The actions by which a machine reaches other machines; `actors/` gives them the registry. */
export const post = provided<Post>('post')
export const postAll = provided<readonly Post[]>('postAll')

/** The events by which a supervisor learns that an actor it started has ended or failed. */
export type ChildEvent =
  /** An actor that it supervises has ended. */
  | { readonly type: 'child.done'; readonly address: Address; readonly output: unknown; readonly at: Ms }
  /** An actor that it supervises has failed. */
  | {
      readonly type: 'child.failed'
      readonly address: Address
      readonly message: string
      /** The context that the actor last had, for what can be saved of it. */
      readonly context: unknown
      readonly at: Ms
    }
