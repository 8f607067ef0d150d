import type { Elsewhere } from '../../../actors/inspection/elsewhere.ts'
import type { Inspection } from '../../../actors/inspection/inspection.ts'
import type { AccessScope } from '../../../actors/inspection/shown.ts'
import type { Clock } from '../../../actors/runtime/ports.ts'
import type { ResponseStream } from '../../net/transport.ts'
import { type ElsewhereView, viewElsewhere } from './elsewhere-view.ts'
import {
  VIEWER_BEAT_MS,
  VIEWER_BYTES_PER_MS_MAX,
  VIEWER_CHECKED_EVERY_MS,
  VIEWER_STALLED_MS_MAX,
  VIEWER_TOLD_EVERY_MS,
  VIEWERS_MAX,
  VIEWERS_PER_WORKSPACE_MAX,
} from './limits.ts'

export interface Viewers {
  /**
   * Server-Sent Events. `actors` `{now, actors, gone}`: first everyone, then what changed.
   * `null` when too many look already, in all or of the same workspace.
   */
  actors(scope: AccessScope): ((stream: ResponseStream) => void) | null
  /**
   * `actor`: the one at `focus`, whenever something that concerns it happened, with what transitions and messages are new;
   * `missing` when it is not there or not theirs.
   */
  actor(scope: AccessScope, focus: string): ((stream: ResponseStream) => void) | null
}

/** Lets people look. What happens while one reads slowly is summed up for it: nothing waits, nothing piles up. */
export function openViewers(
  inspection: Inspection,
  clock: Clock,
  elsewhere: () => Elsewhere | null = () => null,
): Viewers {
  const open = new Map<string, number>()
  let inAll = 0
  const count = (counted: string | null, by: 1 | -1) => {
    if (counted === null) return
    inAll += by
    const left = (open.get(counted) ?? 0) + by
    if (left === 0) open.delete(counted)
    else open.set(counted, left)
  }

  /** `tell` is called at once and then, at most every `everyMs`, when something moved that `concerns` it. */
  function stream(
    scope: AccessScope,
    concerns: (address: string) => boolean,
    tell: (write: Write) => void,
    begin: (noted: (address: string) => void) => void = () => {},
    end: () => void = () => {},
  ) {
    const { counted } = scope
    const isFull = inAll >= VIEWERS_MAX || (counted !== null && (open.get(counted) ?? 0) >= VIEWERS_PER_WORKSPACE_MAX)
    if (counted !== null && isFull) return null
    return (response: ResponseStream) => {
      count(counted, 1)
      let timer: unknown = null
      let due = true
      let clear = true
      let clearAt = clock.now()
      let isFirst = true
      let written = 0
      const write: Write = (event, data) => {
        const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
        written += text.length
        clear = response.write(text) && clear
      }
      const look = () => {
        timer = null
        if (!due || !clear) return
        due = false
        written = 0
        tell(write)
        // Who looks at many that move is told less often, and never more in a second; all that there is comes at once.
        const restMs = isFirst ? 0 : written / VIEWER_BYTES_PER_MS_MAX
        isFirst = false
        timer = clock.setTimeout(look, Math.max(VIEWER_TOLD_EVERY_MS, restMs))
      }
      const noted = (address: string) => {
        if (!concerns(address)) return
        due = true
        // The first move of a quiet time is told when the delivery that it belongs to is over.
        timer ??= clock.setTimeout(look, 0)
      }
      const forget = inspection.watch({ moved: noted, gone: noted })
      const beat = () => {
        beating = clock.setTimeout(beat, VIEWER_BEAT_MS)
        if (clear) clearAt = clock.now()
        else if (clock.now() - clearAt >= VIEWER_STALLED_MS_MAX) return response.end()
        clear = response.write(': alive\n\n') && clear
      }
      const check = () => {
        checking = clock.setTimeout(check, VIEWER_CHECKED_EVERY_MS)
        scope.stillAllowed().then(
          (allowed) => !allowed && response.end(),
          () => {},
        )
      }
      let checking = clock.setTimeout(check, VIEWER_CHECKED_EVERY_MS)
      let beating = clock.setTimeout(beat, VIEWER_BEAT_MS)
      response.onDrain(() => {
        clear = true
        if (due && timer === null) look()
      })
      response.onClose(() => {
        count(counted, -1)
        forget()
        end()
        clock.clearTimeout(timer)
        clock.clearTimeout(beating)
        clock.clearTimeout(checking)
      })
      look()
      begin(noted)
    }
  }

  /** Whether the viewer may see what is at an address. */
  const isSeen = (scope: AccessScope, address: string): boolean => {
    const owner = inspection.workspaceOf(address)
    return owner !== undefined && scope.sees(owner)
  }

  return {
    actors(scope) {
      const dirty = new Set<string>()
      const shown = new Set<string>()
      let first = true
      let away: ElsewhereView | null = null
      const tell = (write: Write) => {
        const seen = [...dirty].flatMap(
          (address) => (isSeen(scope, address) ? inspection.line(address) : away?.line(address)) ?? [],
        )
        const actors = first ? inspection.lines(scope.sees) : seen
        const alive = new Set<string>(actors.map(({ address }) => address))
        for (const address of alive) shown.add(address)
        const gone = [...dirty].filter((address) => !alive.has(address) && shown.delete(address))
        if (first || actors.length > 0 || gone.length > 0) write('actors', { now: clock.now(), actors, gone })
        first = false
        dirty.clear()
      }
      const note = (address: string) => {
        dirty.add(address)
        return true
      }
      const begin = (noted: (address: string) => void) => {
        const others = elsewhere()
        away = others && viewElsewhere(scope, others, clock, null, noted)
      }
      return stream(scope, note, tell, begin, () => away?.stop())
    },

    actor(scope, focus) {
      let seq = -1
      let away: ElsewhereView | null = null
      const tell = (write: Write) => {
        const own = isSeen(scope, focus) ? inspection.detail(focus, seq) : null
        const detail = own ?? away?.takeDetail()
        if (!detail) return write('missing', { address: focus })
        seq = Math.max(seq, ...[...detail.transitions, ...detail.messages].map((each) => each.seq))
        write('actor', { now: clock.now(), ...detail })
      }
      const begin = (noted: (address: string) => void) => {
        const others = elsewhere()
        away = others && viewElsewhere(scope, others, clock, focus, noted)
      }
      return stream(
        scope,
        (address) => inspection.related(address, focus),
        tell,
        begin,
        () => away?.stop(),
      )
    },
  }
}

type Write = (event: string, data: unknown) => void
