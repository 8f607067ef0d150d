import type { TaskEvent } from '../../../client/index.ts'
import { openApi } from '../api.ts'
import { clockTime } from '../format.ts'
import { plainOf } from '../markdown.tsx'
import { useEffect, useRef, useState } from '../view.ts'
import { conversationOf, PARTIES, type Party, type Saying } from './conversation.ts'
import { ScrollBox, useWidth } from './scroll-box.tsx'
import type { Workspace } from './use-tasks-of.ts'

/** As narrow as a column may be; together they are as wide as their box. */
const COLUMN_MIN_PX = 184
const ROW_PX = 30
/** So much is a character; what does not fit between two columns is in the title. */
const CHAR_PX = 7
const NAMES: Readonly<Record<Party, string>> = {
  you: 'You',
  task: 'The task',
  model: 'The model',
  browser: 'The browser',
}

interface ConversationProps {
  readonly sayings: readonly Saying[]
  /** What the browser is called. */
  readonly browser?: string | null
}

/** [P38] Who told whom what, from the start of a task: a column for each party, an arrow for each message. */
export function Conversation({ sayings, browser = null }: ConversationProps) {
  const height = sayings.length * ROW_PX + 12
  const box = useRef<HTMLDivElement>(null)
  const column = Math.max(COLUMN_MIN_PX, useWidth(box) / PARTIES.length)
  const width = PARTIES.length * column
  const x = (party: Party) => (PARTIES.indexOf(party) + 0.5) * column
  const nameOf = (party: Party) => (party === 'browser' ? (browser ?? NAMES.browser) : NAMES[party])
  return (
    <>
      <ScrollBox box={box} label="Conversation of the task" id="conversation">
        <svg class="sequence heads" width={width} height={ROW_PX} aria-hidden="true">
          {PARTIES.map((party) => (
            <text key={party} class="who" x={x(party)} y={18} text-anchor="middle">
              {nameOf(party)}
            </text>
          ))}
        </svg>
        <svg class="sequence" width={width} height={height} aria-hidden="true">
          {PARTIES.map((party) => (
            <line key={party} class="life" x1={x(party)} x2={x(party)} y1={0} y2={height} />
          ))}
          {sayings.map(({ seq, at, from, to, words }, index) => {
            const [start, end, y] = [x(from), x(to), (index + 1) * ROW_PX - 6]
            const line = plainOf(words)
            return (
              <g key={seq} class="message">
                <title>{`${clockTime(at)} ${nameOf(from)} → ${nameOf(to)}: ${line}`}</title>
                <line x1={start} x2={end} y1={y} y2={y} />
                <path d={`M${end} ${y}l${end > start ? -6 : 6} -4v8z`} />
                <text x={Math.min(start, end) + 10} y={y - 5}>
                  {shortened(line, Math.floor(Math.abs(end - start) / CHAR_PX))}
                </text>
              </g>
            )
          })}
        </svg>
      </ScrollBox>
      {/* A phone has no room for the columns: there the list stands for them. */}
      <details class="as-list" open={matchMedia('(max-width: 48rem)').matches}>
        <summary>As a list</summary>
        <ol class="sayings">
          {sayings.map(({ seq, at, from, to, words }) => (
            <li key={seq}>
              <span class="quiet">{clockTime(at)}</span>{' '}
              <strong class={from}>
                {nameOf(from)} → {nameOf(to)}:
              </strong>{' '}
              <span class="said">{plainOf(words)}</span>
            </li>
          ))}
        </ol>
      </details>
    </>
  )
}

const shortened = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

export interface TaskConversation {
  readonly sayings: readonly Saying[]
  /** The id of the browser of the task. */
  readonly browserId: string | null
}

/**
 * The conversation of a task of one of the workspaces, as it goes on; `null`: not known yet, not kept any more, or not the
 * viewer's.
 */
export function useConversation(workspaces: readonly Workspace[], taskId: string | null): TaskConversation | null {
  const [known, setKnown] = useState<TaskConversation | null>(null)
  useEffect(() => {
    setKnown(null)
    if (taskId === null) return
    const stop = new AbortController()
    const { signal } = stop
    for (const { id } of workspaces) {
      const events: TaskEvent[] = []
      // Many come at once: they are one drawing.
      let isDue = false
      const draw = () => {
        isDue = false
        const created = events.find((event) => event.type === 'task.created')
        const browserId = created?.type === 'task.created' ? created.browser_session_id : null
        if (!signal.aborted) setKnown({ sayings: conversationOf(events), browserId })
      }
      const follow = async () => {
        for await (const event of openApi(id).tasks.events(taskId, { signal })) {
          events.push(event)
          if (!isDue) requestAnimationFrame(draw)
          isDue = true
        }
      }
      // Another workspace has it, or its events are not kept any more.
      follow().catch(() => {})
    }
    return () => stop.abort()
  }, [workspaces, taskId])
  return known
}
