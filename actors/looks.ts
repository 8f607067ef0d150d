import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'
import type { Ms } from '../machines/records.ts'

/** Every state of a state value, outer first, by its path: `running`, `running.thinking`. */
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

/** An event as people call it: a delay by its name, an answer by who gave it. */
export function eventName(type: string): string {
  const [, kind, rest = ''] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.(.+)$/.exec(type) ?? []
  if (kind === undefined) return type === 'xstate.init' ? 'begin' : type
  return kind === 'after' ? `after ${rest.split('.')[0]}` : `${kind.split('.')[0]} ${rest}`
}

/** Who stands behind an event that no actor posted. */
export function partnerOf(type: string): 'browser' | 'model' | 'clock' | 'store' | 'client' {
  if (/^(socket|relay)\./.test(type)) return 'browser'
  if (type.startsWith('model.')) return 'model'
  if (/^(store|charge|refund|usage|write|intent|record|facts?)\./.test(type)) return 'store'
  if (/^xstate\.after\.|\.(reached|due|missed|swept?|elapsed|rang)$/.test(type)) return 'clock'
  return 'client'
}

/** What an actor's system knows of its delays; of XState's own types it is no part. */
interface Timed {
  readonly system: {
    getSnapshot(): { readonly _scheduledEvents?: Record<string, { readonly startedAt: Ms; readonly delay: number }> }
  }
}

/**
 * When the next time-out of an actor is due: of its alarms and of the delays of the states that it is in.
 * `since`: when it came into its state, for alarms that count from there.
 */
export function deadlineOf(snapshot: AnyMachineSnapshot, actor: object | null, since: Ms): Ms | null {
  const { children, status } = snapshot
  if (status !== 'active') return null
  const due: Ms[] = []
  for (const child of Object.values(children)) {
    if (!child) continue
    const { input } = (child as AnyActorRef).getSnapshot() as { input?: { event?: string; at?: Ms; inMs?: number } }
    if (typeof input?.event !== 'string') continue
    if (typeof input.at === 'number') due.push(input.at)
    else if (typeof input.inMs === 'number') due.push(since + input.inMs)
  }
  const delays = (actor as Timed | null)?.system.getSnapshot()._scheduledEvents ?? {}
  for (const { startedAt, delay } of Object.values(delays)) due.push(startedAt + delay)
  return due.length === 0 ? null : Math.min(...due)
}
