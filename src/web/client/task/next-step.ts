import type { Task } from '../../../client/index.ts'

/** What helps after each of the ways in which a task may fail: most go on with a new task, whose form is below. */
const NEXT: Readonly<Record<string, string>> = {
  gave_up: 'Say below what it was missing.',
  signed_out: 'Sign in to its profile again, then run it again.',
  no_finish: 'Ask below for the one thing that is still to be told.',
  step_limit: 'Say below what is still to be done. Give it a higher step limit, or a smaller part of the work.',
  no_progress: 'Look at its last steps, and say below how else it can be done.',
  output_invalid: 'Run it again. If it fails again, make the schema of its output simpler, or let fields be null.',
  time_limit: 'Say below what is still to be done.',
  queue_timeout: 'All slots were in use, or the rate was. Run it again when fewer tasks run, or raise the limits.',
  browser_lost: 'Look whether its browser is still paired and connected, then run it again.',
  model_failure:
    'The language model could not be reached. Run it again later; the operator finds the reason in the log.',
  cancelled: 'Run it again from the beginning, or say below what is still to be done.',
}
const NEXT_OTHERWISE =
  'The service was stopped or failed. What the task had done stays done: look at its steps before you run it again.'
/** A task as far as it tells why it ended. */
type Ended = Pick<Task, 'ended_by' | 'request' | 'steps' | 'usage' | 'cost_usd'>

/** Which limit of a task that ended by its budget was reached: of what it may use, most is used of this. */
function reachedLimit({ request, steps, usage, cost_usd: cost }: Ended): string {
  const { max_steps: stepsMax, max_tokens: tokensMax, max_cost_usd: costMax } = request
  const shares = [
    ['step', steps, stepsMax],
    ['token', usage.inputTokens + usage.outputTokens, tokensMax],
    ['cost', cost ?? 0, costMax],
  ] as const
  const share = (used: number, max: number | null) => (max === null ? 0 : used / max)
  // Without a limit of its own it was that of its workspace, which is one of cost.
  const [[name] = ['cost']] = shares
    .filter(([, , max]) => max !== null)
    .sort((one, other) => share(other[1], other[2]) - share(one[1], one[2]))
  return name
}

/** What helps after the end of a task. */
export const nextOf = (task: Ended): string =>
  task.ended_by === 'budget'
    ? `Say below what is still to be done. Give it a higher ${reachedLimit(task)} limit, or a smaller part of the work.`
    : (NEXT[task.ended_by ?? ''] ?? NEXT_OTHERWISE)
