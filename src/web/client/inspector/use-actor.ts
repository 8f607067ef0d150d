import type { ActorDetail } from '../../../../actors/inspection/shown.ts'
import { useEffect, useRef, useState } from '../view.ts'
import { kindOf } from './actor-rows.ts'
import { taskIdOf } from './titles.ts'
import { useStream } from './use-stream.ts'

/** So many transitions and messages are shown. */
const SHOWN_MAX = 200

export interface Detail extends ActorDetail {
  readonly now: number
}

/**
 * Everything that is known of one actor, as it goes on. `missing`: it is not there, or not the viewer's. With the task that
 * it works on, or did: of a call that has ended, the one among whose messages it was seen.
 */
export function useActor(address: string, isPaused: boolean) {
  const [detail, setDetail] = useState<Detail | 'missing' | null>(null)
  const isFirst = useRef(true)
  const tasks = useRef(new Map<string, string>())
  useEffect(() => setDetail(null), [address])
  useStream(address === '' ? null : `/inspector/events?actor=${encodeURIComponent(address)}`, isPaused, {
    // A stream that begins anew tells everything again.
    open: () => {
      isFirst.current = true
    },
    actor(told: Detail) {
      const taskId = taskIdOf(told)
      const ends = told.messages.flatMap(({ from, to }) => [from, to])
      if (taskId !== null)
        for (const each of [told.address, ...ends]) if (kindOf(each) === 'call') tasks.current.set(each, taskId)
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
  return { detail, taskId: taskIdOf({ address }) ?? tasks.current.get(address) ?? null }
}

const joined = <Item>(before: readonly Item[], more: readonly Item[]): Item[] => [...before, ...more].slice(-SHOWN_MAX)
