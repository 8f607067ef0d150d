import type { Task } from '../api.ts'
import { count } from '../format.ts'
import { Markdown } from '../markdown.tsx'
import { Pre } from '../ui.tsx'
import type { ComponentChildren } from '../view.ts'
import { nextOf } from './next-step.ts'
import { OutputView } from './output.tsx'

interface AnswerProps {
  readonly task: Task
  readonly workspaceId: string
}

const LINKS: Readonly<Record<string, readonly [path: string, words: string]>> = {
  queue_timeout: ['limits', 'Limits'],
  budget: ['usage', 'Usage'],
  browser_lost: ['browsers', 'Browsers'],
  signed_out: ['profiles', 'Profiles'],
}

/** What a person can do about a task that has failed. */
export function NextStep({ task, workspaceId }: AnswerProps) {
  const [path, words] = LINKS[task.ended_by ?? ''] ?? []
  return (
    <p class="next-step">
      <strong>What now?</strong> {nextOf(task)}
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
