import type { Sentences, ShownTransition } from '../../../../actors/inspection/shown.ts'
import { clockTime, span } from '../format.ts'
import { plainOf } from '../plain.ts'
import { StateBadge } from '../states.tsx'
import { Badge, Pre } from '../ui.tsx'
import { useState } from '../view.ts'
import { ActorLink, ROLES } from './actor-list.tsx'
import { kindOf } from './actor-rows.ts'
import { Attempts } from './attempts.tsx'
import { CalledFacts } from './called.tsx'
import { Chart } from './chart.tsx'
import type { Called } from './conversation.ts'
import { Conversation, conversationTab, type TaskConversation } from './conversation.tsx'
import { Heading } from './heading.tsx'
import { idleOf, Known } from './known.tsx'
import { Now } from './now.tsx'
import { answerOf } from './outcome.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { meaningOf, useSentences } from './sentences.ts'
import { Sequence } from './sequence.tsx'
import { type Tab, Tabs } from './tabs.tsx'
import { TaskActions } from './task-actions.tsx'
import { Timeline } from './timeline.tsx'
import { badgeOf, holderOf, type Names, standingOf } from './titles.ts'
import type { Detail } from './use-actor.ts'

interface ActorProps {
  readonly address: string
  readonly detail: Detail | 'missing' | null
  /** The task that it works on, or did. */
  readonly taskId: string | null
  readonly title: string
  /** What another actor is, in words. */
  nameOf(address: string): string
  /** Of a task whose log the viewer may read: who told whom what. */
  readonly conversation: TaskConversation | null
  /** Of a call: what was called, as the log of its task tells it. */
  readonly called: Called | null
  readonly endpoints: Names['endpoints']
  /** What the browser of the task is called. */
  readonly browser: string | null
  /** The node that the page is from; `null`: there is one process. */
  readonly node: string | null
  readonly now: number
  /** The tab that is open. */
  readonly tab: string
  openTab(id: string): void
  choose(address: string): void
}

/** One actor: its statechart, what it may do, did, and holds, and the messages around it. */
export function Actor({
  address,
  detail,
  taskId,
  title,
  nameOf,
  conversation,
  called,
  endpoints,
  browser,
  node,
  now,
  tab,
  openTab,
  choose,
}: ActorProps) {
  const sentences = useSentences()[kindOf(address)]
  const known = detail === 'missing' ? null : detail
  const ended = conversation?.ended ?? null
  const look = known && ended === null ? badgeOf(known) : null
  const badge = look && known ? ([idleOf(known)?.[0] ?? look[0], look[1], look[2]] as const) : null
  const isTask = kindOf(address) === 'task'
  const asked = conversation?.question ?? null
  const sayings = conversation?.sayings ?? []
  const tabs = [
    // Its place is kept while it is read.
    ...(isTask && conversation === null ? [conversationTab(null, <p class="loading">Loading …</p>)] : []),
    ...(sayings.length === 0
      ? []
      : [conversationTab(sayings.length, <Conversation sayings={sayings} browser={browser} taskId={taskId} />)]),
    ...(known ? tabsOf({ detail: known, sentences, nameOf, choose }) : []),
  ]
  const [last, before] = known?.transitions.slice(-2).reverse() ?? []
  return (
    <section class="actor" aria-labelledby="actor-title">
      <a
        class="back"
        href="/inspector"
        onClick={(event) => {
          event.preventDefault()
          choose('')
        }}
      >
        ← All actors
      </a>
      <h2 id="actor-title" title={title}>
        {title}
      </h2>
      <p class="facts">
        {badge ? (
          <Badge tone={badge[1]} icon={badge[2]}>
            {badge[0]}
          </Badge>
        ) : null}
        {ended ? <StateBadge state="closed" status={ended.status} ended_by={ended.ended_by ?? null} /> : null}
        <code class="address quiet">{address}</code>
      </p>
      {asked === null ? null : <p class="held ask">{plainOf(asked)}</p>}
      {isTask && taskId !== null && (known !== null || ended !== null) ? (
        <TaskActions
          workspaceId={conversation?.workspaceId ?? ''}
          taskId={taskId}
          isOver={ended !== null || known?.endedAt !== null}
          isAsking={asked !== null}
          isPaused={known?.about?.pausedBy?.includes('client') === true}
          mayAct={conversation?.mayAct === true}
        />
      ) : null}
      {ended ? <p class="ending">{plainOf(answerOf(ended) || 'Ended without an answer.')}</p> : null}
      <p id="facts" class="quiet">
        {detail === 'missing' ? 'This actor does not exist or has ended.' : null}
        {known ? <Facts detail={known} node={node} now={now} nameOf={nameOf} choose={choose} /> : null}
        {detail === null ? null : (
          <LeadsTo address={address} taskId={taskId} isOver={known?.endedAt !== null} nameOf={nameOf} />
        )}
      </p>
      {known ? <Meaning sentences={sentences} detail={known} /> : null}
      {known ? <Known detail={known} endpoints={endpoints} now={now} nameOf={nameOf} choose={choose} /> : null}
      {called ? <CalledFacts called={called} /> : null}
      {known && isTask ? (
        <Timeline
          changes={conversation?.changes.length ? conversation.changes : known.transitions}
          until={known.endedAt ?? Math.max(now, known.now)}
        />
      ) : null}
      {known && kindOf(address) === 'delivery' ? (
        <>
          <Heading level={3} name="Attempts" question="What did the endpoint answer?" />
          <Attempts detail={known} />
        </>
      ) : null}
      <Heading level={3} name="Statechart" question="Where is it, and where can it go?" />
      <Chart
        kind={kindOf(address)}
        states={known?.states ?? []}
        event={last?.event ?? ''}
        before={before?.states ?? []}
        isPaused={known !== null && known.endedAt === null && holderOf(known) !== null}
      />
      {tabs.length === 0 ? null : <Tabs label="More of this actor" chosen={tab} choose={openTab} tabs={tabs} />}
    </section>
  )
}

interface LeadsToProps extends Pick<ActorProps, 'address' | 'taskId' | 'nameOf'> {
  readonly isOver: boolean
}

/** An actor leads to its task, of which an ended one has a replay; a browser that is gone to its tasks, each with one. */
function LeadsTo({ address, taskId, isOver, nameOf }: LeadsToProps) {
  if (kindOf(address) === 'task') return null
  if (taskId !== null)
    return (
      <>
        {isOver ? ' · ' : ' · of task '}
        <a href={`/inspector?task=${taskId}`}>{isOver ? 'Replay the task' : nameOf(`task:${taskId}`)}</a>
      </>
    )
  if (!isOver || kindOf(address) !== 'session') return null
  return (
    <>
      {' · '}
      <a href={`/dashboard?browser=${address.slice(address.indexOf(':') + 1)}`}>Tasks of this browser</a>
    </>
  )
}

interface MeaningProps {
  readonly sentences: Sentences | undefined
  readonly detail: Detail
}

/** What it is, and what it does now; of a paused task who holds it, and what it finishes first. */
function Meaning({ sentences, detail }: MeaningProps) {
  if (sentences === undefined) return null
  const meaning = idleOf(detail)?.[1] ?? meaningOf(sentences, detail.states)
  const holder = holderOf(detail)
  const still = detail.state === 'paused' || meaning === null ? '' : `; it still ${meaning}`
  return (
    <p id="meaning">
      {sentences.about}{' '}
      <Now meaning={holder === null ? meaning : `${holder}${still}`} isOver={detail.endedAt !== null} />
    </p>
  )
}

interface PartProps {
  readonly detail: Detail
  nameOf(address: string): string
  choose(address: string): void
}

function Facts({ detail, node, now, nameOf, choose }: PartProps & Pick<ActorProps, 'node' | 'now'>) {
  const { state, startedAt, deadlineAt, supervisor, endedAt } = detail
  const words = kindOf(detail.address) === 'delivery' ? state : standingOf(detail).words
  const since = sinceOf(detail)
  const parts =
    endedAt === null
      ? [since === null ? words : `${words} for ${span(now - since)}`, `alive for ${span(now - startedAt)}`]
      : [state, `ran for ${span(endedAt - startedAt)}`]
  const at = detail.node ?? node
  if (at !== null) parts.push(`on node ${at}`)
  if (deadlineAt !== null) parts.push(`${deadlineWordsOf(detail)} in ${span(Math.max(0, deadlineAt - now))}`)
  return (
    <>
      {parts.join(' · ')}
      {supervisor === null ? null : (
        <>
          {' · supervised by '}
          <ActorLink address={supervisor} choose={choose} title={supervisor}>
            {nameOf(supervisor)}
          </ActorLink>
        </>
      )}
    </>
  )
}

/** What comes when its time is over. */
function deadlineWordsOf({ address, state }: Pick<Detail, 'address' | 'state'>): string {
  if (kindOf(address) === 'session') return 'expires'
  return kindOf(address) === 'delivery' && state === 'waiting' ? 'next attempt' : 'timeout'
}

/** Since when it is what it is said to be: a pause begins within a state. */
const sinceOf = ({ about, state, since, transitions }: Detail): number | null =>
  about?.pausedBy && state !== 'paused'
    ? (transitions.findLast(({ event }) => event === 'task.pause')?.at ?? null)
    : since

/** What it did, may do, and holds. */
function tabsOf({
  detail,
  sentences,
  nameOf,
  choose,
}: PartProps & Pick<TransitionsProps, 'sentences'>): readonly Tab[] {
  const { transitions, messages, accepts, context } = detail
  return [
    {
      ...{ id: 'transitions', name: 'Transitions', question: 'What happened to it, and why?' },
      count: transitions.length,
      content: <Transitions transitions={transitions} sentences={sentences} nameOf={nameOf} choose={choose} />,
    },
    {
      ...{ id: 'messages', name: 'Messages', question: 'Which actor told which one?' },
      count: messages.length,
      content: <Sequence messages={messages} nameOf={nameOf} />,
    },
    {
      ...{ id: 'accepts', name: 'Accepted events', question: 'What can happen next?' },
      count: accepts.length,
      content: <Accepts events={accepts} sentences={sentences} />,
    },
    {
      ...{ id: 'context', name: 'Context', question: 'What does it know?' },
      count: Object.keys(context ?? {}).length,
      content: (
        <>
          <Pre label="The context as JSON">{JSON.stringify(context, null, 2)}</Pre>
          <LeftOut />
        </>
      ),
    },
  ]
}

const LeftOut = () => (
  <p class="quiet">Secrets and text written by people, models and pages are left out of events and contexts.</p>
)

interface AcceptsProps extends Pick<TransitionsProps, 'sentences'> {
  readonly events: readonly string[]
}

const Accepts = ({ events, sentences }: AcceptsProps) =>
  events.length === 0 ? (
    <p class="empty">Accepts no events any more.</p>
  ) : (
    <dl id="accepts" class="fields">
      {events.map((event) => (
        <div key={event}>
          <dt>
            <code>{event}</code>
          </dt>
          <dd>{plainOf(sentences?.events[event] ?? '')}</dd>
        </div>
      ))}
    </dl>
  )

interface TransitionsProps {
  readonly sentences: Sentences | undefined
  readonly transitions: readonly ShownTransition[]
  nameOf(address: string): string
  choose(address: string): void
}

/** Where fewer of its transitions change its state, those alone are listed until all are asked for. */
const FEW_CHANGES_PART = 1 / 3

/** Newest first: each event, who sent it, with what, and the state that it led to. */
function Transitions({ transitions, sentences, nameOf, choose }: TransitionsProps) {
  const [chosen, setOnlyChanges] = useState<boolean | null>(null)
  const rows = transitions.map((transition, index) => {
    const before = transitions[index - 1]
    return { transition, before, hasStayed: before !== undefined && before.states.join() === transition.states.join() }
  })
  // Of the first that is known nothing was before, unless its actor began with it.
  const changes = rows.filter(({ transition, before, hasStayed }) =>
    before === undefined ? transition.event === 'begin' : !hasStayed,
  )
  const isOnlyChanges = chosen ?? (changes.length > 0 && changes.length < rows.length * FEW_CHANGES_PART)
  return (
    <>
      {changes.length === rows.length ? null : (
        <p>
          <label class="only">
            <input type="checkbox" checked={isOnlyChanges} onChange={() => setOnlyChanges(!isOnlyChanges)} /> Only
            changes of state ({changes.length})
          </label>
        </p>
      )}
      {transitions.length > 0 ? null : (
        <p class="empty">None so far. Those of this actor are recorded while somebody watches.</p>
      )}
      <ScrollBox label="Transition list">
        <table {...ROLES.table} class="transitions">
          <thead {...ROLES.rowgroup}>
            <tr {...ROLES.row}>
              {['Time', 'After', 'Event', 'From', 'State before → after'].map((name) => (
                <th key={name} {...ROLES.columnheader} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody id="moves" {...ROLES.rowgroup}>
            {(isOnlyChanges ? changes : rows)
              .map(({ transition, before, hasStayed }) => (
                <TransitionRow
                  key={transition.seq}
                  transition={transition}
                  before={before}
                  hasStayed={hasStayed}
                  sentences={sentences}
                  nameOf={nameOf}
                  choose={choose}
                />
              ))
              .reverse()}
          </tbody>
        </table>
      </ScrollBox>
      <LeftOut />
    </>
  )
}

interface TransitionRowProps {
  readonly transition: ShownTransition
  readonly sentences: Sentences | undefined
  /** The one before; `undefined` for the first that is known. */
  readonly before: ShownTransition | undefined
  /** It led to no other state. */
  readonly hasStayed: boolean
  nameOf(address: string): string
  choose(address: string): void
}

function TransitionRow({ transition, sentences, before, hasStayed, nameOf, choose }: TransitionRowProps) {
  const { at, event, from, state, states, payload } = transition
  const why = sentences?.events[event]
  const meaning = meaningOf(sentences, states)
  return (
    <tr {...ROLES.row} class={hasStayed ? 'stayed' : undefined}>
      <td {...ROLES.cell}>{clockTime(at)}</td>
      <td {...ROLES.cell}>{before === undefined ? '' : `+${span(at - before.at)}`}</td>
      <td {...ROLES.cell}>
        {payload === null ? (
          <Explained sentence={why}>{event}</Explained>
        ) : (
          <Payload event={event} payload={payload} sentence={why} />
        )}
      </td>
      <td {...ROLES.cell}>
        {from.includes(':') ? (
          <ActorLink address={from} choose={choose} title={`${nameOf(from)}\n${from}`}>
            {nameOf(from)}
          </ActorLink>
        ) : (
          from
        )}
      </td>
      <td {...ROLES.cell}>
        {hasStayed ? 'stayed in ' : before === undefined ? '' : `${before.state} → `}
        <Explained sentence={meaning === null ? undefined : `It ${meaning}.`}>{state}</Explained>
      </td>
    </tr>
  )
}

interface ExplainedProps {
  readonly sentence: string | undefined
  readonly children: string
}

/** A word of a machine, which says what it means when it is pointed at, focused or tapped. */
const Explained = ({ sentence, children }: ExplainedProps) =>
  sentence === undefined ? (
    children
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: its sentence can be reached by keyboard
    <span tabIndex={0} data-sentence={sentence}>
      {children}
    </span>
  )

/** Made when it is opened: there are many. */
function Payload({ event, payload, sentence }: Pick<ShownTransition, 'event' | 'payload'> & Partial<ExplainedProps>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary data-sentence={sentence}>{event}</summary>
      {isOpen ? <Pre label={`What ${event} carried`}>{JSON.stringify(payload, null, 2)}</Pre> : null}
    </details>
  )
}
