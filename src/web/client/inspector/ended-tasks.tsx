import { span } from '../format.ts'
import { StateBadge } from '../states.tsx'
import { Ago } from '../ui.tsx'
import type { WorkspaceTask } from './use-tasks-of.ts'

interface EndedTasksProps {
  readonly tasks: readonly WorkspaceTask[]
  /** The actor that is shown. */
  readonly focus: string
  readonly now: number
}

const SHOWN_MAX = 20

/** The tasks that have ended, each one press away from its replay. */
export function EndedTasks({ tasks, focus, now }: EndedTasksProps) {
  const ended = tasks.filter(({ status }) => status !== 'running').slice(0, SHOWN_MAX)
  if (ended.length === 0) return null
  return (
    <section class="ended" aria-labelledby="ended-title">
      <h2 id="ended-title">Recent tasks</h2>
      <ul>
        {ended.map((task) => (
          <li key={task.id}>
            <a href={`/inspector?task=${task.id}`} aria-current={focus === `task:${task.id}` ? 'true' : undefined}>
              {task.task}
            </a>
            <p class="facts quiet">
              <StateBadge {...task} /> <Ago at={task.completed_at ?? task.created_at} now={now} />{' '}
              <span>{span((task.completed_at ?? now) - task.created_at)}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
