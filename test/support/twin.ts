import {
  type ActorOptions,
  type AnyActor,
  type AnyActorLogic,
  type AnyStateMachine,
  createActor,
  type EventFrom,
  fromCallback,
  type InputFrom,
} from 'xstate'
import { planned } from '../../actors/planned.ts'
import { StepClock } from './step-clock.ts'

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
  effects: Effect[],
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

/** All of an actor that anybody could tell it apart by. */
export const printOf = (actor: AnyActor, effects: readonly Effect[], clock: StepClock) => {
  const { value, context, status, output, tags, children, _nodes } = actor.getSnapshot()
  const nodes = _nodes.map(({ id }: { id: string }) => id).sort()
  const kept = actor.getPersistedSnapshot()
  return { value, context, status, output, tags: [...tags], nodes, kept, effects, timers: clock.pending(), children }
}

/** The same actor with planned transitions. */
export function twinOf<Machine extends AnyStateMachine>(machine: Machine, input: InputFrom<Machine>, now: number) {
  const effects: Effect[] = []
  const clock = new StepClock(now)
  const twin: AnyActor = createActor(planned(inert(machine, effects)), {
    input,
    clock,
  } as unknown as ActorOptions<AnyActorLogic>)
  twin.subscribe({ error: () => {} })
  twin.start()
  let apart = ''
  return {
    follow(event: EventFrom<Machine> | null, expected: ReturnType<typeof printOf>, name: string) {
      if (event !== null) twin.send(event)
      else clock.fireNext()
      const [here, there] = [printOf(twin, effects, clock), expected].map((print) => JSON.stringify(print))
      if (here !== there && apart === '') apart = `Planned, ${name} led to ${here} and not to ${there}`
    },
    mustAgree() {
      if (apart !== '') throw new Error(apart)
    },
  }
}
