import type { AnyActor, AnyActorRef, AnyMachineSnapshot } from 'xstate'
import type { Ms } from '../../machines/records.ts'

/** Every state of a state value, outer first, by its path: `running`, `running.askingModel.thinking`. */
export function statesOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return [path === '' ? value : `${path}.${value}`]
  return Object.entries((value ?? {}) as object).flatMap(([key, inner]) => {
    const here = path === '' ? key : `${path}.${key}`
    return [here, ...statesOf(inner, here)]
  })
}

/** A state value in one line: its innermost states. */
export function stateName(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.values((value ?? {}) as object)
    .map(stateName)
    .join(' | ')
}

/** An event type as it is shown: a delay by its name, the end of an invoked actor by the actor's id. */
export function eventName(type: string): string {
  const [, kind, rest = ''] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.(.+)$/.exec(type) ?? []
  if (kind === undefined) return type === 'xstate.init' ? 'begin' : type
  return kind === 'after' ? `after ${rest.split('.')[0]}` : `${kind.split('.')[0]} ${rest}`
}

/** The causes of events that no actor posts. An event that is not listed comes from an effect of the service itself. */
const CAUSES = {
  browser: /^(socket|relay)\.|^call\.answered$/,
  model: /^model\./,
  store:
    /^(store|charge|refund|usage|write|intent)\.|^queue\.found$|^call\.(recovered|neverSent)$|^service\.recovered$/,
  clock: /^xstate\.after\.|\.(reached|due|timedOut|over)$/,
  janitor: /\.(sweep|swept)$/,
  client: /^(task\.cancel|session\.revoke)$|^admission\./,
} as const

/** The cause of an event that no actor posted. */
export const causeOf = (type: string): keyof typeof CAUSES | 'service' =>
  (Object.keys(CAUSES) as (keyof typeof CAUSES)[]).find((cause) => CAUSES[cause].test(type)) ?? 'service'

/** An actor system's delayed events. XState's types leave them out. */
interface Scheduled {
  readonly _scheduledEvents?: Record<string, { readonly startedAt: Ms; readonly delay: number }>
}

/**
 * When the next time-out of an actor is due: of its alarms and of the delays of its states; `null` when there is none.
 * `since`: when it entered its state, for alarms that count from there; `null`: not known.
 */
export function deadlineOf(snapshot: AnyMachineSnapshot, actor: AnyActor | null, since: Ms | null): Ms | null {
  if (snapshot.status !== 'active') return null
  const due: Ms[] = []
  for (const child of Object.values(snapshot.children)) {
    if (!child) continue
    const { input } = (child as AnyActorRef).getSnapshot() as { input?: { event?: string; at?: Ms; inMs?: number } }
    if (typeof input?.event !== 'string') continue
    if (typeof input.at === 'number') due.push(input.at)
    else if (typeof input.inMs === 'number' && since !== null) due.push(since + input.inMs)
  }
  const { _scheduledEvents = {} } = (actor?.system.getSnapshot() ?? {}) as Scheduled
  for (const { startedAt, delay } of Object.values(_scheduledEvents)) due.push(startedAt + delay)
  return due.length === 0 ? null : Math.min(...due)
}
