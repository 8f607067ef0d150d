import {
  type ActorOptions,
  type AnyActor,
  type AnyStateMachine,
  createActor,
  type EventFrom,
  fromCallback,
  type InputFrom,
  SimulatedClock,
  type SnapshotFrom,
} from 'xstate'
import { type Effect, inert } from './inert.ts'

/**
 * One machine on a clock of its own. Its actions are recorded instead of done, its invoked actors stay silent: their
 * answers are sent by the test.
 */
export function alone<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  snapshot?: unknown,
) {
  const clock = new SimulatedClock()
  const deeds: Effect[] = []
  const stopped: string[] = []
  const recorded = inert(machine, deeds, (type) =>
    fromCallback(({ input: params }) => {
      deeds.push({ type, params })
      return () => void stopped.push(type)
    }),
  )
  const options = { clock, ...(snapshot === undefined ? { input } : { snapshot }) }
  const actor: AnyActor = createActor(recorded, options as unknown as ActorOptions<AnyStateMachine>)
  let thrown: unknown = null
  actor.subscribe({ error: (error) => (thrown = error) })
  actor.start()
  return {
    clock,
    deeds,
    /** Invoked actors whose state was left, in order. */
    stopped,
    send: (...events: readonly EventFrom<Machine>[]) => {
      for (const event of events) actor.send(event)
      if (thrown !== null) throw thrown
    },
    snapshot: () => actor.getSnapshot() as SnapshotFrom<Machine>,
    context: () => actor.getSnapshot().context as SnapshotFrom<Machine>['context'],
    /** The innermost state. */
    state: (): string => {
      let value: unknown = actor.getSnapshot().value
      while (typeof value === 'object' && value !== null) value = Object.values(value)[0]
      return String(value)
    },
    output: () => actor.getSnapshot().output,
    done: () => actor.getSnapshot().status === 'done',
    /** The params of every deed of that name. */
    did: (type: string) => deeds.filter((deed) => deed.type === type).map(({ params }) => params),
    /** Everything posted so far, one by one. */
    posts: () =>
      deeds.flatMap(({ type, params }) =>
        type === 'post' ? [params] : type === 'postAll' ? (params as unknown[]) : [],
      ),
    /** What is kept of it, as a store gives it back. */
    kept: () => JSON.parse(JSON.stringify(actor.getPersistedSnapshot())),
  }
}
