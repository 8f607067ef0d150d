import type { Sentences, ShownTransition } from '../../../../actors/inspection/shown.ts'
import { clockTime, span } from '../format.ts'
import { plainOf } from '../markdown.tsx'
import { Badge, Pre } from '../ui.tsx'
import { useState } from '../view.ts'
import { ActorLink, ROLES } from './actor-list.tsx'
import { kindOf } from './actor-rows.ts'
import { Chart } from './chart.tsx'
import type { Saying } from './conversation.ts'
import { Conversation } from './conversation.tsx'
import { Now } from './now.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { meaningOf, useSentences } from './sentences.ts'
import { Sequence } from './sequence.tsx'
import { badgeOf } from './titles.ts'
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
  readonly conversation: readonly Saying[] | null
  /** What the browser of the task is called. */
  readonly browser: string | null
  /** The node that the page is from; `null`: there is one process. */
  readonly node: string | null
  readonly now: number
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
  browser,
  node,
  now,
  choose,
}: ActorProps) {
  const sentences = useSentences()[kindOf(address)]
  const known = detail === 'missing' ? null : detail
  const badge = known && known.endedAt === null ? badgeOf(known) : null
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
        <code class="address quiet">{address}</code>
      </p>
      <p id="facts" class="quiet">
        {detail === 'missing' ? 'This actor does not exist or has ended.' : null}
        {known ? <Facts detail={known} node={node} now={now} nameOf={nameOf} choose={choose} /> : null}
        {detail === null || (known && known.endedAt === null) ? null : <Replays address={address} taskId={taskId} />}
      </p>
      {known ? <Meaning sentences={sentences} states={known.states} isOver={known.endedAt !== null} /> : null}
      <Chart
        kind={kindOf(address)}
        states={known?.states ?? []}
        event={last?.event ?? ''}
        before={before?.states ?? []}
      />
      {conversation === null || conversation.length === 0 ? null : (
        <section aria-labelledby="conversation-title">
          <h3 id="conversation-title">Conversation</h3>
          <Conversation sayings={conversation} browser={browser} />
        </section>
      )}
      {known ? <Parts detail={known} sentences={sentences} nameOf={nameOf} choose={choose} /> : null}
    </section>
  )
}

/** An actor that has ended leads to the replay of its task; a browser to its tasks, of which each has one. */
function Replays({ address, taskId }: Pick<ActorProps, 'address' | 'taskId'>) {
  if (taskId !== null)
    return (
      <>
        {' · '}
        <a href={`/inspector?task=${taskId}`}>Replay the task</a>
      </>
    )
  if (kindOf(address) !== 'session') return null
  return (
    <>
      {' · '}
      <a href={`/dashboard?browser=${address.slice(address.indexOf(':') + 1)}`}>Tasks of this browser</a>
    </>
  )
}

interface MeaningProps {
  readonly sentences: Sentences | undefined
  readonly states: readonly string[]
  readonly isOver: boolean
}

/** What it is, and what it does now. */
function Meaning({ sentences, states, isOver }: MeaningProps) {
  if (sentences === undefined) return null
  return (
    <p id="meaning">
      {sentences.about} <Now meaning={meaningOf(sentences, states)} isOver={isOver} />
    </p>
  )
}

interface PartProps {
  readonly detail: Detail
  nameOf(address: string): string
  choose(address: string): void
}

function Facts({ detail, node, now, nameOf, choose }: PartProps & Pick<ActorProps, 'node' | 'now'>) {
  const { state, since, startedAt, deadlineAt, supervisor, endedAt } = detail
  const parts =
    endedAt === null
      ? [since === null ? state : `${state} for ${span(now - since)}`, `alive for ${span(now - startedAt)}`]
      : [state, `ran for ${span(endedAt - startedAt)}`]
  const at = detail.node ?? node
  if (at !== null) parts.push(`on node ${at}`)
  if (deadlineAt !== null) parts.push(`timeout in ${span(Math.max(0, deadlineAt - now))}`)
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

function Parts({ detail, sentences, nameOf, choose }: PartProps & Pick<MeaningProps, 'sentences'>) {
  return (
    <div class="detail">
      <section class="whole" aria-labelledby="moves-title">
        <h3 id="moves-title">Recent transitions</h3>
        <Transitions transitions={detail.transitions} sentences={sentences} nameOf={nameOf} choose={choose} />
      </section>
      <section class="whole" aria-labelledby="sequence-title">
        <h3 id="sequence-title">Messages between actors</h3>
        <Sequence messages={detail.messages} />
      </section>
      <section class="whole" aria-labelledby="accepts-title">
        <h3 id="accepts-title">Accepted events</h3>
        {detail.accepts.length > 0 ? null : <p class="empty">Accepts no events any more.</p>}
        <dl id="accepts" class="fields">
          {detail.accepts.map((event) => (
            <div key={event}>
              <dt>
                <code>{event}</code>
              </dt>
              <dd>{plainOf(sentences?.events[event] ?? '')}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section id="context" class="whole" aria-labelledby="context-title">
        <h3 id="context-title">Context</h3>
        <Pre label="The context as JSON">{JSON.stringify(detail.context, null, 2)}</Pre>
      </section>
    </div>
  )
}

interface TransitionsProps extends Pick<MeaningProps, 'sentences'> {
  readonly transitions: readonly ShownTransition[]
  nameOf(address: string): string
  choose(address: string): void
}

/** Newest first: each event, who sent it, with what, and the state that it led to. */
function Transitions({ transitions, sentences, nameOf, choose }: TransitionsProps) {
  return (
    <>
      {transitions.length > 0 ? null : (
        <p class="empty">None so far. Those of this actor are recorded while somebody watches.</p>
      )}
      <ScrollBox label="Transition list">
        <table {...ROLES.table} class="transitions">
          <thead {...ROLES.rowgroup}>
            <tr {...ROLES.row}>
              {['Time', 'After', 'Event', 'From', 'State'].map((name) => (
                <th key={name} {...ROLES.columnheader} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody id="moves" {...ROLES.rowgroup}>
            {transitions
              .map((transition, index) => (
                <TransitionRow
                  key={transition.seq}
                  transition={transition}
                  meaning={sentences?.events[transition.event]}
                  after={index === 0 ? null : transition.at - (transitions[index - 1]?.at ?? 0)}
                  nameOf={nameOf}
                  choose={choose}
                />
              ))
              .reverse()}
          </tbody>
        </table>
      </ScrollBox>
      <p class="quiet">In events and contexts, secrets and text written by people, models and pages are left out.</p>
    </>
  )
}

interface TransitionRowProps {
  readonly transition: ShownTransition
  /** Of its event. */
  readonly meaning: string | undefined
  /** How long the state before lasted; `null` for the first that is known. */
  readonly after: number | null
  nameOf(address: string): string
  choose(address: string): void
}

function TransitionRow({ transition, meaning, after, nameOf, choose }: TransitionRowProps) {
  const { at, event, from, state, payload } = transition
  return (
    <tr {...ROLES.row}>
      <td {...ROLES.cell}>{clockTime(at)}</td>
      <td {...ROLES.cell}>{after === null ? '' : `+${span(after)}`}</td>
      <td {...ROLES.cell} title={meaning}>
        {payload === null ? event : <Payload event={event} payload={payload} />}
      </td>
      <td {...ROLES.cell}>
        {from.includes(':') ? (
          <ActorLink address={from} choose={choose} title={`${nameOf(from)}\n${from}`}>
            {kindOf(from)} {from.slice(-8)}
          </ActorLink>
        ) : (
          from
        )}
      </td>
      <td {...ROLES.cell}>{state}</td>
    </tr>
  )
}

/** Made when it is opened: there are many. */
function Payload({ event, payload }: Pick<ShownTransition, 'event' | 'payload'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{event}</summary>
      {isOpen ? <Pre label={`What ${event} carried`}>{JSON.stringify(payload, null, 2)}</Pre> : null}
    </details>
  )
}
