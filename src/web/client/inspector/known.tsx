import { openApi } from '../api.ts'
import { clockTime, count, span } from '../format.ts'
import { Ago } from '../ui.tsx'
import { type ComponentChildren, useEffect, useState } from '../view.ts'
import { ActorLink } from './actor-list.tsx'
import { kindOf } from './actor-rows.ts'
import type { Names } from './titles.ts'
import type { Detail } from './use-actor.ts'

interface KnownProps {
  readonly detail: Detail
  readonly endpoints: Names['endpoints']
  readonly now: number
  nameOf(address: string): string
  choose(address: string): void
}

type Row = readonly [label: string, value: ComponentChildren]

/** What a browser, a workspace or a delivery knows that is asked for first; of other kinds their text says it. */
export function Known(props: KnownProps) {
  const { address, context, endedAt } = props.detail
  const kind = kindOf(address)
  const lastSeen = useLastSeen(props.detail)
  if (endedAt !== null || typeof context !== 'object' || context === null) return null
  const rows =
    kind === 'session'
      ? rowsOfSession(props, lastSeen)
      : kind === 'workspace'
        ? rowsOfWorkspace(props)
        : kind === 'delivery'
          ? rowsOfDelivery(props)
          : []
  if (rows.length === 0) return null
  return (
    <dl id="known" class="fields">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt class="quiet">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface SessionKnown {
  readonly socket: { readonly protocol: number; readonly pool?: { readonly name?: string } } | null
  readonly boundAt: number
  readonly calls: Readonly<Record<string, unknown>>
  readonly waiting: readonly string[]
}

function rowsOfSession({ detail, now, nameOf, choose }: KnownProps, lastSeen: number | null): Row[] {
  const { socket, boundAt, calls, waiting } = detail.context as SessionKnown
  const links = (addresses: readonly string[]) =>
    addresses.length === 0 ? (
      'none'
    ) : (
      <ul>
        {addresses.map((each) => (
          <li key={each}>
            <ActorLink address={each} choose={choose}>
              {nameOf(each)}
            </ActorLink>
          </li>
        ))}
      </ul>
    )
  const seen: Row[] = lastSeen === null ? [] : [['Last seen', <Ago key="seen" at={lastSeen} now={now} />]]
  return [
    ...(socket === null
      ? seen
      : ([
          ['Last seen', 'now, it is connected'],
          ['Connected', `since ${clockTime(boundAt).slice(0, 8)}, for ${span(now - boundAt)}`],
          ['Relay protocol', `version ${socket.protocol}`],
        ] as const)),
    ['Waiting tasks', links(waiting.map((id) => `task:${id}`))],
    ['Open calls', links(Object.keys(calls).map((id) => `call:${id}`))],
  ]
}

/** When the service heard last of a browser that is not connected, as the viewer may read it. */
function useLastSeen({ address, state, context }: Detail): number | null {
  const [lastSeen, setLastSeen] = useState<number | null>(null)
  const isAway = kindOf(address) === 'session' && state !== 'connected'
  useEffect(() => {
    setLastSeen(null)
    if (!isAway) return
    let isStale = false
    const { workspaceId = '' } = (context ?? {}) as { readonly workspaceId?: string }
    openApi(workspaceId)
      .request('GET /v1/browser-sessions', { query: { limit: 100 } })
      .then(({ data }) => {
        const found = data.find(({ id }) => address === `session:${id}`)
        if (!isStale) setLastSeen(found?.last_heartbeat ?? null)
      })
      // It stays unknown.
      .catch(() => {})
    return () => {
      isStale = true
    }
  }, [address, isAway])
  return lastSeen
}

interface WorkspaceKnown {
  readonly limits: Readonly<Record<'startsPerMinute' | 'runningTasks' | 'queuedTasks' | 'browserSessions', number>>
  readonly running: Readonly<Record<string, string>>
  readonly startTimes: readonly number[]
  readonly queue: { readonly starts: readonly ({ readonly waitsFor: string } | string)[] }
}

const MINUTE_MS = 60_000

function rowsOfWorkspace({ detail, now }: KnownProps): Row[] {
  const { limits, startTimes } = detail.context as WorkspaceKnown
  const { used, queued } = loadOf(detail)
  const starts = startTimes.filter((at) => typeof at === 'number' && at > now - MINUTE_MS).length
  const reason = reasonOf(detail, used >= limits.runningTasks, queued)
  return [
    ['Tasks', `${used} of ${count(limits.runningTasks, 'slot')} used · ${queued} queued`],
    ['Starts', `${starts} of ${limits.startsPerMinute.toLocaleString('en')} in the last minute`],
    ['Limits', `${count(limits.queuedTasks, 'queued task')}, ${count(limits.browserSessions, 'paired browser')}`],
    ...(reason === null ? [] : [['Next start', reason] as const]),
  ]
}

/** What a workspace that waits has to do, in words: badge and sentence say the same. `null`: its state says it. */
export function idleOf(detail: Detail): readonly [badge: string, sentence: string] | null {
  const { address, state, endedAt, context } = detail
  if (kindOf(address) !== 'workspace' || state !== 'waiting' || endedAt !== null) return null
  const { limits } = context as WorkspaceKnown
  const { used, queued } = loadOf(detail)
  const slots = `${Math.max(0, limits.runningTasks - used)} of ${count(limits.runningTasks, 'slot')} free`
  if (queued === 0) return ['Ready', `nothing queued, ${slots}`]
  const reason = reasonOf(detail, used >= limits.runningTasks, queued) ?? 'begins the next start'
  return [`${queued} queued`, `${count(queued, 'queued start')}, ${slots}: ${reason}`]
}

/** Why the next start does not begin now; `null`: nothing keeps it from that. */
function reasonOf({ state, context }: Detail, isFull: boolean, queued: number): string | null {
  if (state === 'gaveUp') return 'refused: the workspace failed too often, and the service has to be restarted'
  if (state === 'waitingForRate') return 'waits for the limit of starts a minute'
  if (state === 'waitingForCharge') return 'waits until it is known how many credits are left'
  if (isFull) return 'waits for a free slot, or is refused'
  if (state === 'pausing') return 'waits before it is tried again'
  const { starts } = (context as WorkspaceKnown).queue
  const isAway = starts.every((start) => typeof start === 'string' || start.waitsFor === 'browser')
  return queued > 0 && isAway ? 'waits for its browser to connect' : null
}

/** How many slots of a workspace are used, and how many starts are queued. */
function loadOf({ context }: Detail): { readonly used: number; readonly queued: number } {
  const { running, queue } = context as WorkspaceKnown
  return {
    used: sizeOf(Object.keys(running), running['…']),
    queued: sizeOf(queue.starts, queue.starts.at(-1)),
  }
}

/** How many there are: of long lists only some are sent, with the number of the others in words (`‹12 more›`). */
function sizeOf(items: readonly unknown[], last: unknown): number {
  const [, more] = /^‹(\d+) more›$/.exec(String(last)) ?? []
  return more === undefined ? items.length : items.length - 1 + Number(more)
}

function rowsOfDelivery({ detail, endpoints }: KnownProps): Row[] {
  const { endpointId, workspaceId } = detail.context as Readonly<Record<'endpointId' | 'workspaceId', string>>
  const url = endpoints.get(endpointId)
  if (url === undefined) return [['Endpoint', <code key="id">{endpointId}</code>]]
  return [
    [
      'Endpoint',
      <a key="url" href={`/dashboard/webhooks/${endpointId}?workspace=${workspaceId}`}>
        {url.href}
      </a>,
    ],
  ]
}
