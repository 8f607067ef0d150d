import { useEffect, useRef, useState } from '../view.ts'
import type { Line } from './actor-rows.ts'
import { useStream } from './use-stream.ts'

/** So many transitions and messages are shown. */
const SHOWN_MAX = 200

export interface Transition {
  readonly seq: number
  readonly at: number
  readonly event: string
  /** An address, or what caused it. */
  readonly from: string
  readonly state: string
  /** Outer first. */
  readonly states: readonly string[]
  /** What the event carried, redacted; `null`: nothing, or nobody looked then. */
  readonly payload: unknown
}

export interface Message {
  readonly seq: number
  readonly at: number
  readonly from: string
  readonly to: string
  readonly event: string
}

export interface Detail extends Line {
  readonly now: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly supervisor: string | null
  readonly states: readonly string[]
  readonly accepts: readonly string[]
  readonly context: unknown
  readonly transitions: readonly Transition[]
  readonly messages: readonly Message[]
}

/** Everything that is known of one actor, as it goes on. `missing`: it is not there, or not the viewer's. */
export function useActor(address: string, isPaused: boolean): Detail | 'missing' | null {
  const [detail, setDetail] = useState<Detail | 'missing' | null>(null)
  const isFirst = useRef(true)
  useEffect(() => setDetail(null), [address])
  useStream(address === '' ? null : `/inspector/events?actor=${encodeURIComponent(address)}`, isPaused, {
    // A stream that begins anew tells everything again.
    open: () => {
      isFirst.current = true
    },
    actor(told: Detail) {
      // One that has moved to another node begins anew, too.
      const isAll = isFirst.current
      isFirst.current = false
      setDetail((before) =>
        isAll || before === null || before === 'missing' || before.address !== told.address || before.node !== told.node
          ? told
          : {
              ...told,
              transitions: joined(before.transitions, told.transitions),
              messages: joined(before.messages, told.messages),
            },
      )
    },
    missing: () => setDetail('missing'),
  })
  return detail
}

const joined = <Item>(before: readonly Item[], more: readonly Item[]): Item[] => [...before, ...more].slice(-SHOWN_MAX)
