import { wordsFor } from '../../../wire/tool-words.ts'
import { type Api, messageOf, type Task } from '../api.ts'
import { roughly } from '../format.ts'
import { Icon } from '../icons.tsx'
import { Button, Failure } from '../ui.tsx'
import { useRef, useState } from '../view.ts'

type Request = NonNullable<Task['input_request']>
interface InputProps {
  readonly request: Request
  readonly task: Task
  readonly api: Api
  readonly now: number
  done(): Promise<unknown>
}

const TITLES = {
  question: 'The task asks you',
  approval: 'Approve this action?',
  takeover: 'Please take over in the browser',
} as const
const AGREES = { question: 'Answer', approval: 'Approve', takeover: 'Done, go on' } as const

/** [I8] What a task asks its user, and the answer. */
export function InputCard({ request, task, api, now, done }: InputProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement & HTMLSelectElement>(null)
  const { kind, message, call, schema, expires_at: expiresAt } = request
  const choices = Array.isArray(schema?.enum) ? schema.enum.map(String) : null
  const answer = (action: 'accept' | 'decline') => async () => {
    setFailed(null)
    const content = kind === 'question' && action === 'accept' ? field.current?.value : null
    await api.tasks.answer(task.id, request.id, { action, content }).then(done, (error) => setFailed(messageOf(error)))
  }
  return (
    <section class="input" aria-labelledby="input-title">
      <h2 id="input-title">
        <Icon name={kind === 'takeover' ? 'hand' : 'question'} /> {TITLES[kind]}
      </h2>
      <p class="words">{message}</p>
      {call === null ? null : (
        <>
          <p>
            <strong>{wordsFor(call.tool, call.input)}</strong>
          </p>
          <ul>
            {call.terms
              .filter((term) => term !== '')
              .map((term) => (
                <li key={term}>{term}</li>
              ))}
          </ul>
          <details>
            <summary>Input</summary>
            <pre>{JSON.stringify(call.input, null, 2)}</pre>
          </details>
        </>
      )}
      {kind !== 'question' ? null : choices === null ? (
        <label>
          Your answer
          <textarea ref={field} name="content" rows={2} maxLength={10_000} />
        </label>
      ) : (
        <label>
          Your answer
          <select ref={field} name="content">
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        </label>
      )}
      <Failure message={failed} />
      <div class="actions">
        <Button kind="main" act={answer('accept')}>
          {AGREES[kind]}
        </Button>
        <Button act={answer('decline')}>Decline</Button>
        <span class="quiet">
          {roughly(Math.max(0, expiresAt - now))} left. Without an answer the task goes on without it.
        </span>
      </div>
    </section>
  )
}
