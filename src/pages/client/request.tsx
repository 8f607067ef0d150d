import { type NameOf, wordsFor } from '../../wire/tool-words.ts'
import { Icon } from './icons.tsx'
import { Button, Failure } from './ui.tsx'
import { useEffect, useRef, useState } from './view.ts'

/** What a task asks its user, as the API and the relay tell it. */
export interface AskedRequest {
  readonly kind: 'question' | 'approval' | 'takeover'
  readonly message: string
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly call: {
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
    readonly terms: readonly string[]
  } | null
}

interface RequestFormProps {
  readonly request: AskedRequest
  /** Until when it waits, in words. */
  readonly until: string
  /** Takes no yes before: a click that was aimed at what was here before must not count as the answer. */
  readonly quietMs?: number
  /** What pages called their elements. */
  readonly nameOf?: NameOf
  /** Resolves to what went wrong, or `null`. */
  answer(action: 'accept' | 'decline', content: string | null): Promise<string | null>
}

const WORDS = {
  question: { title: 'The task asks you', accept: 'Answer', decline: 'Do not answer' },
  approval: { title: 'Approve this action?', accept: 'Approve', decline: 'Decline' },
  takeover: { title: 'Please do this in the browser', accept: 'Done', decline: 'I cannot do this' },
} as const
const WITHOUT = {
  question: 'Without an answer the task continues',
  approval: 'Without an answer it is declined',
  takeover: 'Without an answer the task continues',
} as const

/** [I8] [I9] What a task asks, and the answer. The words of a page in it are text, never markup. */
export function RequestForm({ request, until, quietMs = 0, nameOf, answer }: RequestFormProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const [isReady, setReady] = useState(quietMs === 0)
  const field = useRef<HTMLTextAreaElement & HTMLSelectElement>(null)
  const { kind, message, call, schema } = request
  const { title, accept, decline } = WORDS[kind]
  const choices = Array.isArray(schema?.enum) ? schema.enum.map(String) : null
  useEffect(() => {
    if (isReady) return
    const timer = setTimeout(() => setReady(true), quietMs)
    return () => clearTimeout(timer)
  }, [])
  const give = (action: 'accept' | 'decline') => async () => {
    const content = kind === 'question' && action === 'accept' ? (field.current?.value ?? '') : null
    if (content !== null && content.trim() === '') return field.current?.focus()
    setFailed(null)
    setFailed(await answer(action, content))
  }
  return (
    <section class="input" aria-label={title}>
      <h2>
        <Icon name={kind === 'takeover' ? 'hand' : 'question'} /> {title}
      </h2>
      <p class="words">{message}</p>
      {call === null ? null : <Action {...call} nameOf={nameOf} />}
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
        <Button kind="main" disabled={!isReady} act={give('accept')}>
          {accept}
        </Button>
        <Button act={give('decline')}>{decline}</Button>
      </div>
      <p class="quiet">
        {WITHOUT[kind]} {until}.
      </p>
    </section>
  )
}

type ActionProps = NonNullable<AskedRequest['call']> & { readonly nameOf: NameOf | undefined }

/** The action, where it would be done, and the amounts of money that the page shows. */
function Action({ tool, input, terms, nameOf }: ActionProps) {
  const [page = '', ...amounts] = terms
  return (
    <>
      <dl class="terms">
        <dt>Action</dt>
        <dd>{wordsFor(tool, input, nameOf)}</dd>
        <dt>Page</dt>
        <dd>{page || 'unknown'}</dd>
        <dt>Amounts on the page</dt>
        <dd>{amounts.join(', ') || 'none'}</dd>
      </dl>
      <details>
        <summary class="quiet">
          Input of <code>{tool}</code>
        </summary>
        <pre>{JSON.stringify(input, null, 2)}</pre>
      </details>
    </>
  )
}
