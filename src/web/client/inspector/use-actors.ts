import type { ActorLine } from '../../../../actors/inspection/shown.ts'
import { useRef, useState } from '../view.ts'
import { ActorRows } from './actor-rows.ts'
import { type StreamState, useStream } from './use-stream.ts'

interface Told {
  readonly now: number
  readonly actors: readonly ActorLine[]
  readonly gone: readonly string[]
}

export interface Actors {
  readonly rows: ActorRows
  /** Another number whenever they changed. */
  readonly version: number
  readonly stream: StreamState
  /** The service's clock. */
  now(): number
}

/** Everyone who lives, as it goes on. Many changes are one drawing, with the next frame. */
export function useActors(isPaused: boolean): Actors {
  const rows = useRef(new ActorRows())
  const ahead = useRef(0)
  const isFirst = useRef(true)
  const isDue = useRef(false)
  const [version, setVersion] = useState(0)
  const stream = useStream('/inspector/events', isPaused, {
    open() {
      isFirst.current = true
    },
    actors({ now, actors, gone }: Told) {
      ahead.current = now - Date.now()
      if (isFirst.current) rows.current.reset(actors)
      else rows.current.change(actors, gone)
      isFirst.current = false
      if (isDue.current) return
      isDue.current = true
      requestAnimationFrame(() => {
        isDue.current = false
        setVersion((before) => before + 1)
      })
    },
  })
  return { rows: rows.current, version, stream, now: () => Date.now() + ahead.current }
}
