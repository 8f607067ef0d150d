import { type Api, messageOf, type TaskSummary } from '../api.ts'
import { roughly } from '../format.ts'
import { RequestForm } from '../request.tsx'
import type { ComponentChildren } from '../view.ts'
import type { Story } from './story.ts'

interface InputProps {
  readonly request: NonNullable<TaskSummary['input_request']>
  readonly task: Pick<TaskSummary, 'id'>
  readonly api: Api
  readonly now: number
  /** What pages called their elements; left out: not known here. */
  readonly names?: Story['names']
  /** What stands beside what is asked. */
  readonly aside?: ComponentChildren
  done(): Promise<unknown>
}

/** [I8] What a task asks its user, and the answer. */
export function InputCard({ request, task, api, now, names, aside, done }: InputProps) {
  const answer = async (action: 'accept' | 'decline', content: string | null, forTask: boolean) => {
    try {
      await api.tasks.answer(task.id, request.id, { action, content, ...(forTask ? { for: 'task' } : {}) })
      await done()
      return null
    } catch (error) {
      return messageOf(error)
    }
  }
  return (
    <RequestForm
      request={request}
      until={`in ${roughly(Math.max(0, request.expires_at - now))}`}
      nameOf={(ref) => names?.get(ref) ?? null}
      aside={aside}
      answer={answer}
    />
  )
}
