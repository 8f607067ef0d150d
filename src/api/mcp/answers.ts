import { BrowserTaskError, type Task, type TaskSummary } from '../../client/index.ts'
import type { InputRequiredResult } from './protocol.ts'
import { linksTo } from './resources.ts'

/** A tool's answer, as structure and as text; what the API refuses is the tool's error. */
export async function answering<Answer extends object>(work: () => Promise<Answer>) {
  try {
    return answerOf(await work())
  } catch (error) {
    return refusal(error)
  }
}

/** The answer of a tool that waits for a task: the task with links to its log and screenshots, or what it asks its user. */
export async function answeringTask<Answer extends ReturnType<typeof taskAnswer>>(
  work: () => Promise<Answer | InputRequiredResult>,
) {
  try {
    const answer = await work()
    if (!('task_id' in answer)) return answer as InputRequiredResult
    const { content, structuredContent } = answerOf(answer as Answer)
    return { content: [...content, ...linksTo(answer as Answer)], structuredContent }
  } catch (error) {
    return refusal(error)
  }
}

const answerOf = <Answer extends object>(answer: Answer) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
  structuredContent: { ...answer },
})

/** What the API refuses is the tool's error; anything else is thrown. */
export function refusal(error: unknown) {
  if (!(error instanceof BrowserTaskError)) throw error
  return { content: [{ type: 'text' as const, text: `${error.message} (${error.code})` }], isError: true }
}

/** A task as tools answer with it. */
export function taskAnswer(task: Task | TaskSummary) {
  const { id, status, state, answer, output, ended_by, steps, recipe = null, input_request = null } = task
  return { task_id: id, status, state, answer, output, ended_by, steps, recipe, input_request, next: nextOf(task) }
}

function nextOf({ status, state }: Pick<Task, 'status' | 'state'>): string {
  if (status !== 'running') return 'The task has ended.'
  if (state === 'waitingForInput') return 'The task asks its user: answer with browser_answer_input.'
  return 'The task goes on in the background: call browser_get_task with wait_seconds 50.'
}
