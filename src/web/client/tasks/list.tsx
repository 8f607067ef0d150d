import { type Api, type BrowserSession, messageOf, type TaskSummary } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { count, roughly, usd } from '../format.ts'
import { Icon } from '../icons.tsx'
import { plainOf } from '../plain.ts'
import { StateBadge } from '../states.tsx'
import { Ago, Button, Failure } from '../ui.tsx'
import { useEffect, useRef, useState } from '../view.ts'
import { Bulk } from './bulk.tsx'
import { TaskFilters } from './filters.tsx'
import type { Query } from './query.ts'
import { isTry } from './try-out.tsx'
import type { Tasks } from './use-tasks.ts'

interface ListProps {
  readonly api: Api
  readonly workspaceId: string
  readonly query: Query
  /** What fits the query. */
  readonly found: Tasks
  readonly browsers: readonly BrowserSession[]
  readonly now: number
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
  change(query: Query): void
  /** Whether there is no task yet but tries. */
  onEmpty(isEmpty: boolean): void
}

/** All tasks, newest first, as far as they were asked for. `/` goes to the search, j and k go through the list. */
export function TaskList({ api, workspaceId, query, found, browsers, now, mayAct, change, onEmpty }: ListProps) {
  const { hasMore, failed, more, readAgain } = found
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const list = useRef<HTMLOListElement>(null)
  const isFiltered = Object.values(query).some((value) => value !== '')
  // Those that need their user are above; who filters asks for all that fit.
  const waiting = new Set(isFiltered ? [] : found.waiting.map(({ id }) => id))
  const tasks = found.tasks?.filter(({ id }) => !waiting.has(id)) ?? null
  const names = new Map(browsers.map((browser) => [browser.id, nameOf(browser)]))

  useEffect(() => {
    if (found.tasks !== null) onEmpty(!isFiltered && !hasMore && found.tasks.every(isTry))
  }, [found.tasks, isFiltered, hasMore])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, textarea, select')) return
      if (event.key === '/') document.getElementById('search')?.focus()
      else if (event.key === 'j' || event.key === 'k') step(list.current, event.key === 'j' ? 1 : -1)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])

  const choose = (id: string, isChosen: boolean) => {
    const others = [...chosen].filter((other) => other !== id)
    setChosen(new Set(isChosen ? [...others, id] : others))
  }
  return (
    <section class="task-list" aria-labelledby="tasks-title">
      <h2 id="tasks-title" class="hidden">
        All tasks
      </h2>
      {tasks?.length === 0 && !isFiltered ? null : (
        <TaskFilters {...{ workspaceId, query, browsers, change }} isUseful={tasks === null || tasks.length > 0}>
          <Bulk
            api={api}
            mayAct={mayAct}
            chosen={tasks?.filter(({ id }) => chosen.has(id)) ?? []}
            shown={tasks ?? []}
            choose={(ids) => setChosen(new Set(ids))}
            done={readAgain}
          />
        </TaskFilters>
      )}
      <Failure message={failed === null ? null : messageOf(failed)} />
      {tasks === null ? <p class="loading">Loading …</p> : null}
      {tasks?.length === 0 && waiting.size === 0 ? (
        <p class="empty">
          {isFiltered
            ? `No task matches ${query.q.trim() === '' ? 'these filters' : `“${query.q.trim()}”`}. `
            : 'No tasks yet. Your first one appears here.'}
          {isFiltered ? <a href={`/dashboard?workspace=${workspaceId}`}>Show all tasks</a> : null}
        </p>
      ) : null}
      <ol ref={list} class="tasks">
        {tasks?.map((task) => (
          <Row
            key={task.id}
            task={task}
            isChosen={chosen.has(task.id)}
            choose={choose}
            workspaceId={workspaceId}
            now={now}
            browser={names.get(task.browser_session_id)}
          />
        ))}
      </ol>
      {hasMore ? <Button act={more}>Show more</Button> : null}
      {tasks === null || tasks.length < 2 ? null : (
        <p class="quiet keys">
          Keys: <kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous task, <kbd>Enter</kbd> opens it.
        </p>
      )}
    </section>
  )
}

/** Moves the focus by so many tasks. */
function step(list: HTMLOListElement | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLAnchorElement>('a.task') ?? [])]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}

/** More of an answer is in no row. */
const ANSWER_CHARS_READ = 1_000

interface RowProps {
  readonly task: TaskSummary
  readonly isChosen: boolean
  readonly workspaceId: string
  readonly now: number
  readonly browser: string | undefined
  choose(id: string, isChosen: boolean): void
}

function Row({ task, isChosen, workspaceId, now, browser, choose }: RowProps) {
  const picture = `/dashboard/tasks/${task.id}/picture${task.status === 'running' ? `?step=${task.steps}` : ''}`
  return (
    <li>
      <input
        type="checkbox"
        aria-label={`Select: ${task.task}`}
        checked={isChosen}
        onChange={({ currentTarget }) => choose(task.id, currentTarget.checked)}
      />
      <a class="task" href={`/dashboard/tasks/${task.id}?workspace=${workspaceId}`}>
        <span class="thumbnail">
          <Icon name="browser" />
          <img src={picture} alt="" loading="lazy" width={80} height={50} />
        </span>
        <span class="title">{task.task}</span>
        <StateBadge {...task} />
        <span class="facts quiet">
          <Ago at={task.created_at} now={now} />
          <span>{roughly((task.completed_at ?? now) - task.created_at)}</span>
          <span>{count(task.steps, 'step')}</span>
          {task.cost_usd === null ? null : <span>{usd(task.cost_usd)}</span>}
          {browser === undefined ? null : <span>{browser}</span>}
          {Object.entries(task.metadata).map(([key, value]) => (
            <span key={key} class="chip">
              {key}={value}
            </span>
          ))}
        </span>
        {task.answer ? <span class="said quiet">{plainOf(task.answer.slice(0, ANSWER_CHARS_READ))}</span> : null}
      </a>
    </li>
  )
}
