import { span } from '../format.ts'
import { StateBadge } from '../states.tsx'
import { Ago } from '../ui.tsx'
import type { WorkspaceTask } from './use-tasks-of.ts'

interface EndedTasksProps {
  readonly tasks: readonly WorkspaceTask[]
  readonly words: string
  readonly now: number
}

const SHOWN_MAX = 20

/** The tasks that have ended, each one press away from its replay. */
export function EndedTasks({ tasks, words, now }: EndedTasksProps) {
  const ended = tasks.filter(({ status }) => status !== 'running').slice(0, SHOWN_MAX)
  return (
    <section class="ended" aria-labelledby="ended-title">
      <h2 id="ended-title">Recent tasks</h2>
      {ended.length === 0 ? (
        <p class="empty">
          {words.trim() === '' ? (
            <>
              No task has ended yet. <a href="/dashboard">Start a task</a> or{' '}
              <a href="/docs/inspector">read the docs</a>.
            </>
          ) : (
            'No ended task has these words.'
          )}
        </p>
      ) : (
        <ul>
          {ended.map((task) => (
            <li key={task.id}>
              <a href={`/inspector?task=${task.id}`}>{task.task}</a>
              <p class="facts quiet">
                <StateBadge {...task} /> <Ago at={task.completed_at ?? task.created_at} now={now} />{' '}
                <span>{span((task.completed_at ?? now) - task.created_at)}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
