import { type AnyActorLogic, type AnyStateMachine, fromCallback } from 'xstate'

/** What a machine asked of the world: an action by its name with its params, or an actor that it invoked with its input. */
export interface Effect {
  readonly type: string
  readonly params: unknown
}

/**
 * The same machine without a hand on the world: actions that are plain functions are recorded, actors are what `actor`
 * makes of their names, by default some that answer nothing.
 */
export function inert<Machine extends AnyStateMachine>(
  machine: Machine,
  effects: Pick<Effect[], 'push'>,
  actor: (type: string) => AnyActorLogic = () => fromCallback(() => {}),
): AnyStateMachine {
  const { actors, actions } = machine.implementations
  const plain = Object.entries(actions).filter(([, action]) => typeof action === 'function' && !('resolve' in action))
  return machine.provide({
    actors: Object.fromEntries(Object.keys(actors).map((type) => [type, actor(type)])),
    actions: Object.fromEntries(
      plain.map(([type]) => [type, (_: unknown, params: unknown) => void effects.push({ type, params })]),
    ),
  } as never)
}
