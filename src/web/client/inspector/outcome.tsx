import type { Task } from '../api.ts'
import { count, localTime, spaced, span, usd } from '../format.ts'
import { Fact } from '../task/details.tsx'

/** Who or what ended a task, by its `ended_by`. */
const ENDERS: Readonly<Record<string, string>> = {
  completed: 'The model, with its answer',
  gave_up: 'The model, which gave up',
  no_finish: 'The model, which answered without finishing',
  no_progress: 'The service: the model repeated what changed nothing',
  output_invalid: 'The service: no output fitted the schema',
  recipe_deviated: 'The service: the page was not what the recipe expects',
  step_limit: 'The limit of steps',
  budget: 'The budget of the task',
  time_limit: 'The time limit',
  queue_timeout: 'The time limit of the queue',
  browser_lost: 'The service: its browser was removed or expired',
  model_failure: 'The service: the model failed',
  cancelled: 'A client or the user, who cancelled it',
}

/** Who or what ended a task, in words. `canceller`: who cancelled it; `null`: nobody, or that is not known. */
export const enderOf = ({ ended_by: by }: Pick<Task, 'ended_by'>, canceller: string | null): string =>
  canceller === null ? (ENDERS[by ?? ''] ?? `The service: ${spaced(by ?? '')}`) : `${canceller}, who cancelled it`

interface OutcomeProps {
  readonly task: Task
  /** What its browser is called. */
  readonly browser: string
  /** Who cancelled it; `null`: nobody, or that is not known. */
  readonly canceller: string | null
}

/** What a finished run came to: who ended it, what it took, and what it was allowed. */
export function Outcome({ task, browser, canceller }: OutcomeProps) {
  const { ended_by: by, completed_at: endedAt, created_at: startedAt, usage, cost_usd: cost, request } = task
  const { max_steps: steps, max_tokens: tokens, max_cost_usd: dollars } = request
  const limits = [
    steps === null ? '' : count(steps, 'step'),
    tokens === null ? '' : count(tokens, 'token'),
    dollars === null ? '' : usd(dollars),
  ].filter(Boolean)
  return (
    <dl id="outcome" class="fields">
      {by === null ? null : <Fact name="Ended by">{enderOf(task, canceller)}</Fact>}
      {endedAt === null ? null : (
        <Fact name="Ended">
          {localTime(endedAt)}, after {span(endedAt - startedAt)}
        </Fact>
      )}
      <Fact name="Used">
        {count(task.steps, 'step')}, {count(usage.inputTokens, 'token')} in, {usage.outputTokens.toLocaleString('en')}{' '}
        out, {cost === null ? 'cost unknown' : usd(cost)}
      </Fact>
      <Fact name="Task limits">{limits.length === 0 ? 'service defaults' : limits.join(', ')}</Fact>
      <Fact name="Browser">{browser}</Fact>
    </dl>
  )
}
