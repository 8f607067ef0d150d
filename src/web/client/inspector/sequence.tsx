import type { ShownMessage } from '../../../../actors/inspection/shown.ts'
import { clockTime, count } from '../format.ts'
import { useLayoutEffect, useRef } from '../view.ts'
import { kindOf } from './actor-rows.ts'
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
const HEAD_PX = 26
/** Of the words on an arrow: a line, and about a character. */
const LINE_PX = 13
const CHAR_PX = 6.8
/** Below an arrow, and beside its words. */
const BELOW_PX = 13
const BESIDE_PX = 4
/** Closer lanes have no room for the words between them: then messages are a list. */
const LANE_MIN_PX = 96

const place = (kind: string): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length)

interface SequenceProps {
  readonly messages: readonly ShownMessage[]
  /** What an actor is, in words. */
  nameOf(address: string): string
}

/**
 * Messages between actors: a lane for each kind of actor, an arrow for each message, whose words are between two lanes.
 * Where there is no room for lanes it is a list.
 */
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
    isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - HEAD_PX
  }
  return (
    <ScrollBox box={box} id="sequence" label="Messages between actors" onScroll={note}>
      {messages.length === 0 ? (
        <p class="quiet">No messages yet.</p>
      ) : (
        <Messages messages={messages} nameOf={nameOf} width={width} />
      )}
    </ScrollBox>
  )
}

function Messages({ messages, nameOf, width }: SequenceProps & { readonly width: number }) {
  const whoIs = (address: string) => (address.includes(':') ? nameOf(address) : address)
  const sentenceOf = ({ at, from, to, event }: ShownMessage) =>
    `${clockTime(at)} ${whoIs(from)} → ${whoIs(to)}: ${event}`
  const kinds = [...new Set(messages.flatMap(({ from, to }) => [kindOf(from), kindOf(to)]))].sort(
    (a, b) => place(a) - place(b),
  )
  if (width < kinds.length * LANE_MIN_PX)
    return (
      <ol class="messages">
        {messages.map((message) => (
          <li key={message.seq} class="message" data-sentence={sentenceOf(message)}>
            <span class="quiet">{clockTime(message.at)}</span> {kindOf(message.from)} → {kindOf(message.to)} ·{' '}
            <code>{message.event}</code>
          </li>
        ))}
      </ol>
    )
  return <Arrows messages={messages} kinds={kinds} width={width} sentenceOf={sentenceOf} />
}

interface ArrowsProps {
  readonly messages: readonly ShownMessage[]
  readonly kinds: readonly string[]
  readonly width: number
  sentenceOf(message: ShownMessage): string
}

function Arrows({ messages, kinds, width, sentenceOf }: ArrowsProps) {
  const lane = width / kinds.length
  const x = (kind: string) => (kinds.indexOf(kind) + 0.5) * lane
  let height = 0
  const rows = messages.map((message) => {
    const lines = linesOf(message.event, lane - 2 * BESIDE_PX)
    height += lines.length * LINE_PX + BELOW_PX
    return { message, lines, y: height - BELOW_PX + 4 }
  })
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
        {rows.map(({ message, lines, y }) => (
          <Arrow
            key={message.seq}
            from={x(kindOf(message.from))}
            to={x(kindOf(message.to))}
            y={y}
            lines={lines}
            lane={lane}
            sentence={sentenceOf(message)}
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
  readonly lines: readonly string[]
  /** How far lanes are apart. */
  readonly lane: number
  readonly sentence: string
}

function Arrow({ from, to, y, lines, lane, sentence }: ArrowProps) {
  const end = from === to ? from + 24 : to
  const way = end > from ? 1 : -1
  return (
    <g class="message" data-sentence={sentence}>
      <line x1={from} x2={end} y1={y} y2={y} />
      <path d={`M${end} ${y}l${-5 * way} -4v8z`} />
      {lines.map((line, index) => (
        <text
          key={line}
          x={from + (way * lane) / 2}
          y={y - 4 - (lines.length - 1 - index) * LINE_PX}
          text-anchor="middle"
        >
          {line}
        </text>
      ))}
    </g>
  )
}

/** The name of an event in lines that are no wider: it goes on after a dot. */
function linesOf(event: string, width: number): string[] {
  const isWide = (text: string) => text.length * CHAR_PX > width
  const [first = '', ...rest] = event.split(/(?<=\.)/)
  const lines = [first]
  for (const part of rest) {
    const longer = `${lines.at(-1)}${part}`
    if (isWide(longer)) lines.push(part)
    else lines[lines.length - 1] = longer
  }
  return lines
}
