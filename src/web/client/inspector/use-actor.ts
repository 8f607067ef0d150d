import type { ActorAbout, ActorDetail, ShownTransition } from '../../../../actors/inspection/shown.ts'
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
 * it works on, or did, and what calls did that were seen among its events: those that have ended are not listed any more.
 */
export function useActor(address: string, isPaused: boolean) {
  const [detail, setDetail] = useState<Detail | 'missing' | null>(null)
  const isFirst = useRef(true)
  const calls = useRef(new Map<string, ActorAbout>())
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
        for (const each of [told.address, ...ends])
          if (kindOf(each) === 'call') calls.current.set(each, { ...calls.current.get(each), taskId })
      for (const [call, about] of told.transitions.flatMap(openedCalls)) calls.current.set(call, about)
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
  return { detail, taskId: taskIdOf({ address }) ?? calls.current.get(address)?.taskId ?? null, calls: calls.current }
}

/** The call that a browser was given, by its address. */
function openedCalls({ event, payload }: ShownTransition): (readonly [address: string, about: ActorAbout])[] {
  const call = event === 'call.open' && payload !== null && 'call' in payload ? (payload.call as OpenedCall) : null
  return call === null ? [] : [[`call:${call.requestId}`, { taskId: call.taskId, tool: call.tool }]]
}

interface OpenedCall extends Required<Pick<ActorAbout, 'taskId' | 'tool'>> {
  readonly requestId: string
}

const joined = <Item>(before: readonly Item[], more: readonly Item[]): Item[] => [...before, ...more].slice(-SHOWN_MAX)
