import type { Task } from '../api.ts'
import { count } from '../format.ts'
import { Markdown } from '../markdown.tsx'
import { Pre } from '../ui.tsx'
import type { ComponentChildren } from '../view.ts'
import { OutputView } from './output.tsx'

interface AnswerProps {
  readonly task: Task
  readonly workspaceId: string
}

/** What helps after each of the ways in which a task may fail: most go on with a new task, whose form is below. */
const NEXT: Readonly<Record<string, string>> = {
  gave_up: 'Say below what it was missing.',
  signed_out: 'Sign in to its profile again, then run it again.',
  no_finish: 'Ask below for the one thing that is still to be told.',
  step_limit: 'Say below what is still to be done. Give it a higher step limit, or a smaller part of the work.',
  no_progress: 'Look at its last steps, and say below how else it can be done.',
  budget: 'Say below what is still to be done. Give it a higher cost limit.',
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
const LINKS: Readonly<Record<string, readonly [path: string, words: string]>> = {
  queue_timeout: ['limits', 'Limits'],
  budget: ['usage', 'Usage'],
  browser_lost: ['browsers', 'Browsers'],
  signed_out: ['profiles', 'Profiles'],
}

/** What a person can do about a task that has failed. */
export function NextStep({ task: { ended_by: endedBy }, workspaceId }: AnswerProps) {
  const [path, words] = LINKS[endedBy ?? ''] ?? []
  return (
    <p class="next-step">
      <strong>What now?</strong> {NEXT[endedBy ?? ''] ?? NEXT_OTHERWISE}
      {path === undefined ? null : (
        <>
          {' '}
          <a href={`/dashboard/${path}?workspace=${workspaceId}`}>{words}</a>
        </>
      )}
    </p>
  )
}

interface ResultProps extends Pick<Task, 'answer' | 'output' | 'ungrounded'> {
  /** Where each value of the output was seen, by its pointer. */
  readonly sources: Readonly<Record<string, { readonly step: number }>>
  /** What is said between answer and output. */
  readonly children?: ComponentChildren
}

/** The answer and the output of a task. */
export const Result = ({ answer, output, ungrounded, sources, children }: ResultProps) => (
  <>
    {answer ? <Markdown text={answer} /> : <p class="quiet">The task ended without an answer.</p>}
    {children}
    {output === null ? null : (
      <details class="whole-output" open={!answer}>
        <summary>Output ({count(Object.keys(output).length, 'field')})</summary>
        <OutputView value={output} pointer="" sources={sources} ungrounded={ungrounded ?? []} />
        <details>
          <summary>As JSON</summary>
          <Pre label="Output as JSON">{JSON.stringify(output, null, 2)}</Pre>
        </details>
      </details>
    )}
  </>
)

interface WholeAnswerProps extends Pick<AnswerProps, 'task'> {
  /** What can be done about a failure. */
  readonly next: ComponentChildren
}

/** What came of a task, and what can be done about it. */
export const Answer = ({ task, next }: WholeAnswerProps) => (
  <section class={`answer ${task.status}`} aria-labelledby="answer-title">
    <h2 id="answer-title">{task.status === 'complete' ? 'Answer' : 'How it ended'}</h2>
    <Result {...task} sources={task.output_sources ?? {}}>
      {task.status === 'complete' ? null : next}
    </Result>
  </section>
)
