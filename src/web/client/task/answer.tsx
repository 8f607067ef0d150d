import type { Task } from '../api.ts'
import { Markdown } from '../markdown.tsx'
import { Pre } from '../ui.tsx'
import { OutputView } from './output.tsx'

/** What came of a task: its answer, and its output with where each value was seen. */
export const Answer = ({ task }: { readonly task: Task }) => (
  <section class={`answer ${task.status}`} aria-labelledby="answer-title">
    <h2 id="answer-title">{task.status === 'complete' ? 'Answer' : 'How it ended'}</h2>
    {task.answer ? <Markdown text={task.answer} /> : <p class="quiet">The task ended without an answer.</p>}
    {task.output === null ? null : (
      <>
        <h3>Output</h3>
        <OutputView
          value={task.output}
          pointer=""
          sources={task.output_sources ?? {}}
          ungrounded={task.ungrounded ?? []}
        />
        <details>
          <summary>As JSON</summary>
          <Pre label="Output as JSON">{JSON.stringify(task.output, null, 2)}</Pre>
        </details>
      </>
    )}
  </section>
)
