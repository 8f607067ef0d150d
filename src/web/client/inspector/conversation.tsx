import type { TaskEvent } from '../../../client/index.ts'
import { openApi } from '../api.ts'
import { clockTime } from '../format.ts'
import { plainOf } from '../plain.ts'
import { type ComponentChildren, useEffect, useRef, useState } from '../view.ts'
import { callsOf, conversationOf, PARTIES, type Party, questionOf, type Saying } from './conversation.ts'
import { stateChangesOf } from './moments.ts'
import { ScrollBox, useWidth } from './scroll-box.tsx'
import { Sent } from './sent.tsx'
import type { Tab } from './tabs.tsx'
import type { StateChange } from './timeline.tsx'
import type { Workspace } from './use-tasks-of.ts'

const NAMES: Readonly<Record<Party, string>> = {
  you: 'You',
  task: 'The task',
  model: 'The model',
  service: 'The service',
  browser: 'The browser',
}

interface ConversationProps {
  readonly sayings: readonly Saying[]
  /** What the browser is called. */
  readonly browser?: string | null
  /** Whose model's requests can be read; `null`: they are not kept. */
  readonly taskId: string | null
  /** Until when a replay is: what was said last by then is in sight, and what came later is dimmed. */
  readonly at?: number
  /** The moment of a replay in which something was said; left out: there is no replay yet. */
  momentOf?(at: number): number
}

/**
 * [P38] Who told whom what, from the start of a task: a lane for each party, and below what was said an arrow from one to
 * the other. On a phone, which has no room for lanes, it is a list.
 */
export function Conversation({ sayings, browser = null, taskId, at: until, momentOf }: ConversationProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const current = until === undefined ? -1 : sayings.findLastIndex(({ at }) => at <= until)
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('li[aria-current]')
    if (box.current && row) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 2
  }, [current, width])
  // The service is told something in few tasks.
  const parties = PARTIES.filter((party) => party !== 'service' || sayings.some(({ to }) => to === party))
  const lanes = { '--lanes': parties.length, '--half-lanes': 2 * parties.length }
  const nameOf = (party: Party) => (party === 'browser' ? (browser ?? NAMES.browser) : NAMES[party])
  return (
    <ScrollBox box={box} label="Conversation of the task" id="conversation">
      <div class="parties" style={lanes} aria-hidden="true">
        {parties.map((party) => (
          <strong key={party}>{nameOf(party)}</strong>
        ))}
      </div>
      <ol class="sayings" style={lanes}>
        {sayings.map(({ seq, at, from, to, words, step }, index) => (
          <li
            key={seq}
            style={lanesOf(parties, from, to)}
            class={[
              parties.indexOf(from) > parties.indexOf(to) ? 'back' : '',
              current >= 0 && index > current ? 'later' : '',
            ].join(' ')}
            aria-current={index === current ? 'step' : undefined}
          >
            {momentOf === undefined ? (
              <span class="quiet">{clockTime(at)}</span>
            ) : (
              <a class="quiet" href={`#${momentOf(at) + 1}`} title="Show this moment">
                {clockTime(at)}
              </a>
            )}{' '}
            <strong class={from}>
              {nameOf(from)} → {nameOf(to)}:
            </strong>{' '}
            <span class="said">{plainOf(words)}</span>
            <i aria-hidden="true" />
            {step === undefined || taskId === null ? null : <Sent taskId={taskId} step={step} />}
          </li>
        ))}
      </ol>
    </ScrollBox>
  )
}

/** It in a tab of a page. */
export const conversationTab = (count: number | null, content: ComponentChildren): Tab => ({
  ...{ id: 'conversation', name: 'Conversation', question: 'Who told whom what?' },
  ...{ count, content },
})

/** Lanes are in the middle of columns: between which two lines of a grid with twice as many columns an arrow is drawn. */
function lanesOf(parties: readonly Party[], from: Party, to: Party) {
  const [left, right] = [parties.indexOf(from), parties.indexOf(to)].sort((a, b) => a - b) as [number, number]
  return { '--left': 2 * left + 2, '--right': 2 * right + 2 }
}

export interface TaskConversation {
  readonly sayings: readonly Saying[]
  readonly changes: readonly StateChange[]
  /** The id of the browser of the task. */
  readonly browserId: string | null
  readonly workspaceId: string
  readonly mayAct: boolean
  readonly question: string | null
  /** By address, in words. */
  readonly calls: ReadonlyMap<string, string>
  /** Everything that happened, oldest first. */
  readonly events: readonly TaskEvent[]
  /** How it ended; `null`: it has not. */
  readonly ended: Extract<TaskEvent, { type: 'task.ended' }> | null
}

/** Of a task that is not the viewer's, or whose log is not kept any more. */
const NOTHING: TaskConversation = {
  ...{
    sayings: [],
    changes: [],
    browserId: null,
    workspaceId: '',
    mayAct: false,
    question: null,
    calls: new Map(),
    events: [],
    ended: null,
  },
}

/** The conversation of a task of one of the workspaces, as it goes on; `null`: not known yet, or of no task. */
export function useConversation(workspaces: readonly Workspace[], taskId: string | null): TaskConversation | null {
  const [known, setKnown] = useState<TaskConversation | null>(null)
  useEffect(() => {
    setKnown(null)
    if (taskId === null) return
    const stop = new AbortController()
    const { signal } = stop
    let unread = workspaces.length
    if (unread === 0) setKnown(NOTHING)
    for (const { id, mayAct } of workspaces) {
      const events: TaskEvent[] = []
      // Many come at once: they are one drawing.
      let isDue = false
      const draw = () => {
        isDue = false
        const created = events.find((event) => event.type === 'task.created')
        const browserId = created?.type === 'task.created' ? created.browser_session_id : null
        if (signal.aborted) return
        const last = events.at(-1)
        setKnown({
          ...{ sayings: conversationOf(events), changes: stateChangesOf(events), browserId, workspaceId: id, mayAct },
          ...{ question: questionOf(events), calls: callsOf(events), events: [...events] },
          ...{ ended: last?.type === 'task.ended' ? last : null },
        })
      }
      const follow = async () => {
        for await (const event of openApi(id).tasks.events(taskId, { signal })) {
          events.push(event)
          if (!isDue) requestAnimationFrame(draw)
          isDue = true
        }
      }
      // Another workspace has it, or its events are not kept any more.
      follow().catch(() => {
        if (--unread === 0 && !signal.aborted) setKnown((before) => before ?? NOTHING)
      })
    }
    return () => stop.abort()
  }, [workspaces, taskId])
  return known
}
