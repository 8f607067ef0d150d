import { sentenceOf } from '../../../machines/approval.ts'
import type { AskedCall } from '../../wire/inputs.ts'
import { type NameOf, wordsFor } from '../../wire/tool-words.ts'
import { Icon, type IconName } from './icons.tsx'
import { Button, Failure } from './ui.tsx'
import { type ComponentChildren, useEffect, useRef, useState } from './view.ts'

/** What a task asks its user, as the API and the relay tell it. */
export interface AskedRequest {
  readonly kind: 'question' | 'approval' | 'takeover'
  readonly message: string
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly call: AskedCall | null
}

interface RequestFormProps {
  readonly request: AskedRequest
  /** Until when it waits, in words. */
  readonly until: string
  /** Takes no yes before: a click that was aimed at what was here before must not count as the answer. */
  readonly quietMs?: number
  /** What pages called their elements. */
  readonly nameOf?: NameOf
  /** Resolves to what went wrong, or `null`. `forTask`: all that is alike is approved, for the rest of the task. */
  answer(action: 'accept' | 'decline', content: string | null, forTask: boolean): Promise<string | null>
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
  const give =
    (action: 'accept' | 'decline', forTask = false) =>
    async () => {
      const content = kind === 'question' && action === 'accept' ? (field.current?.value ?? '') : null
      if (content !== null && content.trim() === '') return field.current?.focus()
      setFailed(null)
      setFailed(await answer(action, content, forTask))
    }
  return (
    <section class="input" aria-label={title}>
      <h2>
        <Icon name={kind === 'takeover' ? 'hand' : 'question'} /> {title}
      </h2>
      {call === null ? <p class="words">{message}</p> : <Action {...call} />}
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
        {call?.held ? (
          <Button disabled={!isReady} act={give('accept', true)}>
            Approve for the rest of this task
          </Button>
        ) : null}
      </div>
      {call?.held ? (
        <ul class="quiet means">
          <li>Approve: it happens once, with these values. Other values are asked for again.</li>
          <li>
            Approve for the rest of this task: each <code>{call.held.shape}</code> happens without asking, whatever its
            values are.
          </li>
        </ul>
      ) : null}
      <p class="quiet">
        {WITHOUT[kind]} {until}.
      </p>
      {call === null ? null : <Asked {...call} nameOf={nameOf} />}
    </section>
  )
}

/**
 * [I7] What will happen, what of it has changed since it was approved, and how that is known: the browser sees where a
 * request goes by itself; what a button is called and what values mean is the page's word alone.
 */
function Action({ tool, input, held, changed }: AskedCall) {
  const renamed = new Map(changed?.fields.map((field) => [field.name, field]))
  const gone = changed?.fields.filter(({ after }) => after === null) ?? []
  return (
    <>
      <p class="sentence">{sentenceOf({ tool, input, held })}</p>
      {changed ? <p class="changed">This has changed since you approved it.</p> : null}
      {held === null ? (
        <p class="quiet">This browser cannot show what would be sent. You approve the action itself.</p>
      ) : (
        <div class="proof">
          <Known title="Checked by the browser" icon="check">
            <dt>{held.kind === 'request' ? 'Request' : 'Page'}</dt>
            <dd>
              {held.method} {held.site}
              {held.path}
            </dd>
          </Known>
          {held.target === null && held.fields.length + gone.length === 0 && !changed ? null : (
            <Known title="What the page says (not checked)" icon="browser">
              {held.target === null ? null : (
                <>
                  <dt>{held.kind === 'request' ? 'Pressed' : 'Acts on'}</dt>
                  <dd>
                    {held.target.role} “{held.target.name}”
                  </dd>
                </>
              )}
              {held.fields.map(({ name, value }) => (
                <Field key={`${name}=${value}`} name={name} value={value} before={renamed.get(name)?.before} />
              ))}
              {gone.map(({ name, before }) => (
                <Field key={name} name={name} value="(none)" before={before} />
              ))}
              {changed && changed.numbers.before.length + changed.numbers.after.length > 0 ? (
                <>
                  <dt>Numbers on the page</dt>
                  <dd>
                    <del>{changed.numbers.before.join(', ') || '(none)'}</del>{' '}
                    {changed.numbers.after.join(', ') || '(none)'}
                  </dd>
                </>
              ) : null}
            </Known>
          )}
        </div>
      )}
    </>
  )
}

interface KnownProps {
  readonly title: string
  readonly icon: IconName
  readonly children: ComponentChildren
}

/** What one source says about the action. */
const Known = ({ title, icon, children }: KnownProps) => (
  <div>
    <h3>
      <Icon name={icon} /> {title}
    </h3>
    <dl class="terms">{children}</dl>
  </div>
)

/** What the model asked for. */
const Asked = ({ tool, input, nameOf }: AskedCall & { readonly nameOf: NameOf | undefined }) => (
  <details>
    <summary class="quiet">
      The model asked for: {wordsFor(tool, input, nameOf)} (<code>{tool}</code>)
    </summary>
    <pre>{JSON.stringify(input, null, 2)}</pre>
  </details>
)

interface FieldProps {
  readonly name: string
  readonly value: string
  /** What it was when it was approved, if it was another one; `null`: it was not there. */
  readonly before: string | null | undefined
}

const Field = ({ name, value, before }: FieldProps) => (
  <>
    <dt>{name || '(no name)'}</dt>
    <dd>
      {before === undefined ? null : <del>{before ?? '(none)'}</del>} {value || '(empty)'}
    </dd>
  </>
)
