import type { ShownMessage } from '../../../../actors/inspection/shown.ts'
import { clockTime, count } from '../format.ts'
import { useLayoutEffect, useRef } from '../view.ts'
import { kindOf } from './actor-rows.ts'
import { lanesOf, wordsAt } from './lanes.ts'
import { ScrollBox, useWidth } from './scroll-box.tsx'

const ORDER = [
  'client',
  'workspace',
  'clock',
  'model',
  'store',
  'task',
  'session',
  'call',
  'browser',
  'closing',
  'delivery',
]
const ROW_PX = 26
const HEAD_PX = 26

const place = (kind: string): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length)

interface SequenceProps {
  readonly messages: readonly ShownMessage[]
  /** What an actor is, in words. */
  nameOf(address: string): string
}

/** Messages between actors: a column for each kind of actor, an arrow for each message. */
export function Sequence({ messages, nameOf }: SequenceProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const last = messages.at(-1)?.seq
  const width = useWidth(box)
  // Does not scroll while an earlier message is being read.
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [last])
  const note = ({ currentTarget: at }: { readonly currentTarget: HTMLElement }) => {
    isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - ROW_PX
  }
  return (
    <ScrollBox box={box} id="sequence" label="Messages between actors" onScroll={note}>
      {messages.length === 0 ? (
        <p class="quiet">No messages yet.</p>
      ) : (
        <Arrows messages={messages} nameOf={nameOf} width={width} />
      )}
    </ScrollBox>
  )
}

function Arrows({ messages, nameOf, width: room }: SequenceProps & { readonly width: number }) {
  const whoIs = (address: string) => (address.includes(':') ? nameOf(address) : address)
  const kinds = [...new Set(messages.flatMap(({ from, to }) => [kindOf(from), kindOf(to)]))].sort(
    (a, b) => place(a) - place(b),
  )
  const { x, width } = lanesOf(kinds, room)
  const height = messages.length * ROW_PX + 10
  return (
    <>
      <svg class="sequence heads" width={width} height={HEAD_PX} aria-hidden="true">
        {kinds.map((kind) => (
          <text key={kind} class="who" x={x(kind)} y={18} text-anchor="middle">
            {kind}
          </text>
        ))}
      </svg>
      <svg
        class="sequence"
        width={width}
        height={height}
        role="img"
        aria-label={`${count(messages.length, 'message')} between ${kinds.join(', ')}`}
      >
        {kinds.map((kind) => (
          <line key={kind} class="life" x1={x(kind)} x2={x(kind)} y1={0} y2={height} />
        ))}
        {messages.map(({ seq, from, to, event, at }, index) => (
          <Arrow
            key={seq}
            from={x(kindOf(from))}
            to={x(kindOf(to))}
            y={(index + 1) * ROW_PX - 6}
            event={event}
            width={width}
            sentence={`${clockTime(at)} ${whoIs(from)} → ${whoIs(to)}: ${event}`}
          />
        ))}
      </svg>
    </>
  )
}

interface ArrowProps {
  readonly from: number
  readonly to: number
  readonly y: number
  readonly event: string
  /** Of the whole drawing. */
  readonly width: number
  readonly sentence: string
}

function Arrow({ from, to, y, event, width, sentence }: ArrowProps) {
  const isSelf = from === to
  const end = isSelf ? from + 24 : to
  const tip = end > from ? -5 : 5
  return (
    <g class="message" data-sentence={sentence}>
      <line x1={from} x2={end} y1={y} y2={y} />
      <path d={`M${end} ${y}l${tip} -4v8z`} />
      <text x={wordsAt(event, (from + end) / 2, width)} y={y - 4}>
        {event}
      </text>
    </g>
  )
}
