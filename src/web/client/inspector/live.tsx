import type { ActorLine } from '../../../../actors/inspection/shown.ts'
import { count } from '../format.ts'
import { Icon } from '../icons.tsx'
import { useEffect, useMemo, useState } from '../view.ts'
import { Actor } from './actor.tsx'
import { ActorList } from './actor-list.tsx'
import { KINDS, kindOf } from './actor-rows.ts'
import { calledOf } from './conversation.ts'
import { useConversation } from './conversation.tsx'
import { EndedTasks } from './ended-tasks.tsx'
import { ActorMap } from './map.tsx'
import { useTab } from './tabs.tsx'
import { standingOf, titleOf } from './titles.ts'
import { useActor } from './use-actor.ts'
import { useActors } from './use-actors.ts'
import { useNames } from './use-names.ts'
import type { StreamState } from './use-stream.ts'
import { useTasksOf, type Workspace } from './use-tasks-of.ts'

export interface InspectorProps {
  readonly focus: string
  /** Those whose tasks the viewer may read; none: the operator of the service, who sees all actors and no text. */
  readonly workspaces: readonly Workspace[]
  /** What the node of this page knows of the others; `null`: there is one process. */
  readonly nodes: Nodes | null
}

interface Nodes {
  readonly node: string
  readonly nodes: readonly { readonly id: string; readonly owns: number }[]
}

const TICK_MS = 250
const SAID: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  paused: 'Paused',
  refused: 'Your access has ended. Sign in again.',
}

/** [P19] Everyone who lives, by kind, and one of them in every detail. */
export function Inspector({ focus: first, workspaces, nodes }: InspectorProps) {
  const [focus, choose] = useFocus(first)
  const [isPaused, setPaused] = useState(false)
  const [filter, setFilter] = useState('')
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const { rows: actors, version, stream, now } = useActors(isPaused)
  const [tab, openTab] = useTab()
  const { detail, taskId, calls } = useActor(focus, isPaused)
  useTick(isPaused ? null : TICK_MS)
  const [taskList, browserList, deliveryList] = useMemo(
    () => ['task', 'session', 'delivery'].map((kind) => actors.changed(kind)) as [string, string, string],
    [version],
  )
  const { tasks, texts } = useTasksOf(workspaces, filter, taskList)
  const names = useNames(workspaces, texts, browserList, deliveryList)
  const told = useConversation(workspaces, ['task', 'call'].includes(kindOf(focus)) ? taskId : null)
  const conversation = kindOf(focus) === 'task' ? told : null
  const nameOf = (address: string) =>
    told?.calls.get(address) ?? titleOf(actors.get(address) ?? { address, about: calls.get(address) ?? {} }, names)
  const wordsOf = (line: ActorLine) => `${titleOf(line, names)} ${standingOf(line).words}`
  const { rows, fitting } = useMemo(
    () => actors.rows({ filter, toggled, focus, wordsOf }),
    [version, filter, toggled, focus, texts.size, names],
  )
  const about = (detail === 'missing' ? null : detail)?.about
  const toggle = (key: string) => {
    const other = new Set(toggled)
    if (!other.delete(key)) other.add(key)
    setToggled(other)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div class="bar" role="group" aria-label="Display options">
        <label for="filter">
          <span class="hidden">Find</span>
          <Icon name="search" />
          <input
            id="filter"
            type="search"
            placeholder="Search actors"
            autocomplete="off"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <button id="pause" type="button" class="plain" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume updates' : 'Pause updates'}
        </button>
        <p class="facts quiet">
          <span id="stream" role="status" data-state={stream}>
            {SAID[stream]}
          </span>
          <span>{scopeOf(workspaces)}</span>
        </p>
      </div>
      {nodes === null ? null : <NodeList {...nodes} isOperator={workspaces.length === 0} />}
      <div class={focus === '' ? 'inspector' : 'inspector chosen'}>
        <div>
          <section class="actors" aria-labelledby="actors-title">
            <h2 id="actors-title">
              Actors{' '}
              <span id="count" class="quiet">
                {fitting === actors.size ? fitting : `${fitting} of ${actors.size}`}
              </span>
            </h2>
            {tasks === null ? (
              <p class="loading">Loading …</p>
            ) : (
              <ActorList rows={rows} focus={focus} now={now()} names={names} choose={choose} toggle={toggle} />
            )}
            {stream === 'live' && tasks !== null && actors.countOf('task') === 0 && filter.trim() === '' ? (
              <div class="empty">
                <p>No task is running. A running task appears here, with its tool calls and webhook deliveries.</p>
                <p class="actions">
                  {workspaces.length === 0 ? null : (
                    <a class="button" href="/dashboard">
                      Start a task
                    </a>
                  )}
                  <a class="button plain" href="/inspector/example">
                    See a recorded task
                  </a>
                </p>
              </div>
            ) : null}
            {fitting === 0 && actors.size > 0 ? (
              <div id="nothing" class="empty">
                <p>No actor matches “{filter.trim()}”.</p>
                <p>
                  <button type="button" class="plain" onClick={() => setFilter('')}>
                    Clear the search
                  </button>
                </p>
              </div>
            ) : null}
          </section>
          {workspaces.length === 0 || tasks === null ? null : <EndedTasks tasks={tasks} focus={focus} now={now()} />}
        </div>
        {focus === '' ? (
          <section class="actor" aria-labelledby="actor-title">
            <h2 id="actor-title">Who talks to whom</h2>
            <ActorMap
              countOf={(kind) => actors.countOf(kind)}
              list={(kind) => setToggled(new Set(KINDS.filter((each) => each !== kind)))}
            />
          </section>
        ) : (
          <Actor
            address={focus}
            detail={detail}
            taskId={taskId ?? names.deliveries.get(/^delivery:(.+)$/.exec(focus)?.[1] ?? '')?.taskId ?? null}
            title={about ? titleOf({ address: focus, about }, names) : nameOf(focus)}
            nameOf={nameOf}
            conversation={conversation}
            called={told && kindOf(focus) === 'call' ? calledOf(told.events, focus) : null}
            endpoints={names.endpoints}
            browser={names.browsers.get(conversation?.browserId ?? '') ?? null}
            node={nodes?.node ?? null}
            now={now()}
            tab={tab}
            openTab={openTab}
            choose={choose}
          />
        )}
      </div>
    </>
  )
}

/** Whose actors are listed. */
const scopeOf = (workspaces: readonly Workspace[]): string =>
  workspaces.length === 0
    ? 'all workspaces'
    : `workspace${workspaces.length === 1 ? '' : 's'} ${workspaces.map(({ name }) => name).join(', ')}`

/** The actor that the address of the page names. */
function useFocus(first: string): readonly [string, (address: string) => void] {
  const [focus, setFocus] = useState(first)
  useEffect(() => {
    const named = () => setFocus(new URLSearchParams(location.search).get('actor') ?? '')
    addEventListener('popstate', named)
    return () => removeEventListener('popstate', named)
  }, [])
  const choose = (address: string) => {
    // The tab stays open: the next one is seen in the same way.
    const query = new URLSearchParams(location.search)
    query.set('actor', address)
    history.pushState(null, '', address === '' ? location.pathname : `?${query}`)
    setFocus(address)
  }
  return [focus, choose]
}

/** Draws again every so often, for what is counted from now. */
function useTick(everyMs: number | null): void {
  const [, setTicks] = useState(0)
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => document.hidden || setTicks((before) => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}

/** [M8] Who owns what, where there are several nodes. */
const NodeList = ({ node, nodes, isOperator }: Nodes & { readonly isOperator: boolean }) => (
  <p id="nodes" class="facts quiet">
    {nodes.map(({ id, owns }) => (
      <span key={id}>
        {id === node ? <strong>{id} (this node)</strong> : id}: {count(owns, 'shard')}
      </span>
    ))}
    {isOperator ? <span>The list has the actors of this node.</span> : null}
  </p>
)
