import type { Trace } from '../../../../actors/inspection/shown.ts'
import type { TaskEvent } from '../../../client/index.ts'
import { EMPTY, type Story, told } from '../task/story.ts'

/** A transition, and what had happened in the task by then. */
export interface Moment {
  readonly at: number
  readonly event: string
  /** Outer first. */
  readonly states: readonly string[]
  readonly story: Story
}

/**
 * What a replay shows one after the other: each transition with what had been said and done by then. What happened before
 * the trace begins, because a process that ended has kept none of it, is told by the log alone.
 */
export function momentsOf(moves: Trace, events: readonly TaskEvent[]): readonly Moment[] {
  const first = moves[0]?.[0] ?? Number.POSITIVE_INFINITY
  const all = [...events.flatMap((event) => (event.at < first ? (moveOf(event) ?? []) : [])), ...moves]
  let story = EMPTY
  let next = 0
  return all.map(([at, cause, states], index) => {
    // What an event led to is told in the same moment.
    const isLast = index === all.length - 1
    const until = isLast ? Number.POSITIVE_INFINITY : at
    for (let event = events[next]; event && event.at <= until; event = events[++next]) {
      if (!isLast && event.at === at && belongsLater(event, cause)) break
      story = told(story, event)
    }
    return { at, event: cause, states: pathsOf(states), story }
  })
}

/**
 * In the millisecond of a transition, a reply belongs to the one that it caused, and so does a result. That one may be
 * noted a millisecond later.
 */
const belongsLater = ({ type }: TaskEvent, cause: string): boolean =>
  (type === 'model.replied' && !cause.startsWith('model.')) || (type === 'tool.result' && cause !== 'call.settled')

/**
 * When a task came into which states, as its log alone tells it, which is known while it runs. Where it was paused during a
 * call, that is under way until it has ended.
 */
export function stateChangesOf(events: readonly TaskEvent[]): readonly Pick<Moment, 'at' | 'states'>[] {
  const open = new Set<string>()
  let isHeld = false
  return events.flatMap((event) => {
    const { at, type } = event
    if (type === 'task.created') return [{ at, states: ['starting'] }]
    if (type === 'tool.called') open.add(event.call_id)
    if (type === 'tool.result' && open.delete(event.call_id) && open.size === 0 && isHeld)
      return [{ at, states: pathsOf(['paused']) }]
    if (type === 'task.state') isHeld = event.state === 'paused'
    if (type === 'task.state' && isHeld && open.size > 0) return [{ at, states: pathsOf(['acting']) }]
    return (moveOf(event) ?? []).map(([at, , states]) => ({ at, states: pathsOf(states) }))
  })
}

/** The states of a running task, by the groups that they are in. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  askingModel: ['thinking', 'backingOff'],
  callingTool: ['persistingIntent', 'acting', 'waitingForBrowser', 'changingBrowser', 'reconciling', 'serving'],
  waitingForPeople: ['waitingForInput', 'paused'],
}

/** The states by their paths: the log names the innermost alone, and traces of earlier versions know no groups. */
function pathsOf(states: readonly string[]): readonly string[] {
  const leaf = states.at(-1)?.split('.').at(-1) ?? ''
  const group = Object.keys(GROUPS).find((name) => GROUPS[name]?.includes(leaf))
  return group === undefined ? states : ['running', `running.${group}`, `running.${group}.${leaf}`]
}

/** The states that clients see. */
const moveOf = (event: TaskEvent): Trace | null => {
  if (event.type === 'task.ended') return [[event.at, event.ended_by ?? event.status, ['ended']]]
  return event.type === 'task.state' ? [[event.at, '', [event.state]]] : null
}
