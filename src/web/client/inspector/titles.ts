import type { ActorDetail, ActorLine } from '../../../../actors/inspection/shown.ts'
import { type Look, RUNNING } from '../states.tsx'
import type { Tone } from '../ui.tsx'
import { kindOf } from './actor-rows.ts'

/** As an address names it, and as far as more is known of it. */
type Titled = { readonly address: string } & Pick<ActorLine, 'about'>

/** What the viewer may read of the things that actors stand for, by their ids. */
export interface Names {
  readonly tasks: ReadonlyMap<string, string>
  readonly browsers: ReadonlyMap<string, string>
  readonly endpoints: ReadonlyMap<string, URL>
  readonly workspaces: ReadonlyMap<string, string>
  readonly deliveries: ReadonlyMap<string, DeliveryEvent>
}

/** What a webhook delivery carries. */
export interface DeliveryEvent {
  readonly type: string
  readonly taskId: string | null
}

/** [P28] What an actor is, in words: the text of its task, the name of its browser, what it does and for which task. */
export function titleOf({ address, about = {} }: Titled, names: Names): string {
  const id = address.slice(address.indexOf(':') + 1)
  const task = names.tasks.get(id)
  const quoted = (taskId: string) => {
    const text = names.tasks.get(taskId)
    return text === undefined ? `task ${shortOf(taskId)}` : `“${text}”`
  }
  switch (kindOf(address)) {
    case 'task':
      return task ?? `Task ${shortOf(id)}`
    case 'closing':
      return `End of ${quoted(id)}`
    case 'call':
      if (about.tool === undefined) return `Call ${shortOf(id)}`
      return `Call of ${about.tool}${about.taskId === undefined ? '' : ` for ${quoted(about.taskId)}`}`
    case 'session':
      return names.browsers.get(id) ?? browserName(id)
    case 'workspace':
      return `Workspace ${names.workspaces.get(id) ?? shortOf(id)}`
    case 'delivery': {
      const to = names.endpoints.get(about.endpointId ?? '')?.host ?? `endpoint ${shortOf(about.endpointId ?? id)}`
      const event = names.deliveries.get(id)
      if (!event?.taskId) return `${event?.type ?? 'Webhook'} to ${to}`
      return `${event.type} · ${names.tasks.get(event.taskId) ?? `task ${shortOf(event.taskId)}`}`
    }
    case 'shard':
      return `Shard ${id} of the workspaces`
    case 'service':
      return 'The service'
    default:
      return address
  }
}

/** What all actors of a group do, by one of them. */
export function groupTitleOf({ address, about = {} }: Titled, names: Names): string {
  if (kindOf(address) === 'call') return `Calls of ${about.tool}`
  const id = about.endpointId ?? ''
  return `Webhooks to ${names.endpoints.get(id)?.host ?? `endpoint ${shortOf(id)}`}`
}

/** The task that an actor works on; `null`: none, or that is not known. */
export const taskIdOf = ({ address, about }: Titled): string | null =>
  /^(?:task|closing):(.+)$/.exec(address)?.[1] ?? about?.taskId ?? null

/** As the dashboard calls a browser that has no name. */
export const browserName = (id: string): string => `Browser ${id.slice(0, 8)}`

/** The end of an id tells: the ids of tasks begin with their time. */
export const shortOf = (id: string): string => id.slice(-8)

/**
 * [P28] Its state as the list says it: that somebody holds a task comes before what the task is in the midst of. Its tone
 * says whether it works, waits for a person, has failed, or is idle.
 */
export function standingOf({ address, state, about }: ActorLine): { readonly words: string; readonly tone: Tone } {
  if (about?.pausedBy?.includes('browser')) return { words: 'taken over', tone: 'wait' }
  if (about?.pausedBy) return { words: 'paused', tone: 'wait' }
  const kind = kindOf(address)
  const tone = lookOf(kind, state)[1]
  const isIdle = tone === 'good' || `${kind} ${state}` === 'task queued'
  return { words: WORDS[`${kind} ${state}`] ?? state, tone: isIdle ? 'plain' : tone }
}

/** States whose names say too little in a list. */
const WORDS: Readonly<Record<string, string>> = { 'delivery waiting': 'failed', 'workspace waiting': 'ready' }

/** Of several the tone that needs somebody most. */
export const toneOf = (lines: readonly ActorLine[]): Tone =>
  URGENCY.find((tone) => lines.some((line) => standingOf(line).tone === tone)) ?? 'plain'

const URGENCY: readonly Tone[] = ['bad', 'wait', 'run']

/** Who holds a paused task, in words; `null`: it is not paused. */
export function holderOf({ about }: Pick<ActorLine, 'about'>): string | null {
  const { pausedBy = [] } = about ?? {}
  const words = { client: 'paused by a client', browser: 'taken over in the browser' }
  return pausedBy.length === 0 ? null : pausedBy.map((by) => words[by]).join(' and ')
}

/** The same for the head of the page, of a task as the dashboard says it. */
export function badgeOf({ address, state, about, endedAt }: ActorLine & Pick<ActorDetail, 'endedAt'>): Look {
  if (endedAt !== null) return ['Ended', 'plain', 'stop']
  if (about?.pausedBy?.includes('browser')) return ['Taken over in the browser', 'wait', 'hand']
  return lookOf(kindOf(address), about?.pausedBy ? 'paused' : state)
}

/** How the states of a kind look; those that are not named here are steps of what it does. */
const LOOKS: Readonly<Record<string, Readonly<Record<string, Look>>>> = {
  task: RUNNING,
  session: {
    waiting: ['Not connected yet', 'wait', 'clock'],
    connected: ['Connected', 'good', 'check'],
    disconnected: ['Disconnected', 'plain', 'cross'],
    expired: ['Expired', 'plain', 'clock'],
    revoked: ['Removed', 'plain', 'cross'],
    removed: ['Removed', 'plain', 'cross'],
    gone: ['Resting', 'plain', 'pause'],
  },
  call: { waiting: ['Under way', 'run', 'play'] },
  closing: {
    waitingForStore: ['Waiting for the store', 'bad', 'warning'],
    finalWriteFailed: ['Cannot be written', 'bad', 'warning'],
  },
  delivery: {
    attempting: ['Sending', 'run', 'play'],
    waiting: ['Failed, will be tried again', 'bad', 'clock'],
    waitingForStore: ['Waiting for the store', 'bad', 'warning'],
    recordingLater: ['Waiting for the store', 'bad', 'warning'],
  },
  workspace: {
    waiting: ['Ready', 'plain', 'check'],
    waitingForRate: ['Waiting for the rate limit', 'plain', 'clock'],
    waitingForCharge: ['Waiting for credits', 'plain', 'clock'],
    gaveUp: ['Refuses every start', 'bad', 'warning'],
    resting: ['Resting', 'plain', 'pause'],
  },
  shard: { owned: ['Owned', 'good', 'check'], absent: ['Elsewhere', 'plain', 'skip'] },
  service: { running: ['Running', 'good', 'check'] },
}
const lookOf = (kind: string, state: string): Look => LOOKS[kind]?.[state] ?? ['Running', 'run', 'play']
