import type { Task } from '../api.ts'
import { count, localTime, spaced, span, usd } from '../format.ts'
import { StateBadge } from '../states.tsx'
import { Fact } from '../ui.tsx'
import { type ComponentChildren, useState } from '../view.ts'

/** Who or what ended a task, by its `ended_by`. */
const ENDERS: Readonly<Record<string, string>> = {
  completed: 'the model, with its answer',
  gave_up: 'the model, which gave up',
  no_finish: 'the model, which answered without finishing',
  no_progress: 'the service: the model repeated what changed nothing',
  output_invalid: 'the service: no output fitted the schema',
  recipe_deviated: 'the service: the page was not what the recipe expects',
  step_limit: 'the limit of steps',
  budget: 'the budget of the task',
  time_limit: 'the time limit',
  queue_timeout: 'the time limit of the queue',
  browser_lost: 'the service: its browser was removed or expired',
  model_failure: 'the service: the model failed',
  cancelled: 'a client or the user, who stopped it',
}

/** Who or what ended a task, in words. `canceller`: who cancelled it; `null`: nobody, or that is not known. */
const enderOf = ({ ended_by: by }: Pick<Task, 'ended_by'>, canceller: string | null): string =>
  canceller === null ? (ENDERS[by ?? ''] ?? `the service: ${spaced(by ?? '')}`) : `${canceller}, who stopped it`

type Ended = { readonly ended_by?: string | null; readonly answer: string | null }
/** What a task has answered; of one that was stopped, in the word of its badge. */
export const answerOf = ({ ended_by: by, answer }: Ended): string | null =>
  by === 'cancelled' ? 'The task was stopped.' : answer

interface OutcomeProps {
  readonly task: Task
  /** What its browser is called. */
  readonly browser: string
  /** Who cancelled it; `null`: nobody, or that is not known. */
  readonly canceller: string | null
  /** Links to what else there is about it. */
  readonly children: ComponentChildren
}

/** What a finished run came to, in one line: how and by whom it ended, and what it took. The rest opens below. */
export function Outcome({ task, browser, canceller, children }: OutcomeProps) {
  const [isOpen, setOpen] = useState(false)
  const { completed_at: endedAt, created_at: startedAt, usage, cost_usd: cost, request } = task
  const { max_steps: steps, max_tokens: tokens, max_cost_usd: dollars } = request
  const limits = [
    steps === null ? '' : count(steps, 'step'),
    tokens === null ? '' : count(tokens, 'token'),
    dollars === null ? '' : usd(dollars),
  ].filter(Boolean)
  return (
    <>
      <p id="outcome" class="facts quiet">
        <StateBadge {...task} />
        <span>Ended by {enderOf(task, canceller)}</span>
        <span>
          {count(task.steps, 'step')} in {span((endedAt ?? startedAt) - startedAt)}
        </span>
        {cost === null ? null : <span>{usd(cost)}</span>}
        <span>{browser}</span>
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Details
        </button>
        {children}
      </p>
      {isOpen ? (
        <dl id="details" class="fields">
          <Fact name="Started">{localTime(startedAt)}</Fact>
          {endedAt === null ? null : <Fact name="Ended">{localTime(endedAt)}</Fact>}
          <Fact name="Used">
            {count(task.steps, 'step')}, {count(usage.inputTokens, 'token')} in,{' '}
            {usage.outputTokens.toLocaleString('en')} out, {cost === null ? 'cost unknown' : usd(cost)}
          </Fact>
          <Fact name="Task limits">{limits.length === 0 ? 'service defaults' : limits.join(', ')}</Fact>
          <Fact name="Id">
            <code>{task.id}</code>
          </Fact>
        </dl>
      ) : null}
    </>
  )
}
