import { sentenceOf } from '../../../machines/approval.ts'
import type { AskedCall } from '../../wire/inputs.ts'
import { type NameOf, wordsFor } from '../../wire/tool-words.ts'
import { Icon, type IconName } from './icons.tsx'
import { Address, Button, Failure, Pre } from './ui.tsx'
import { type ComponentChildren, Fragment, useEffect, useState } from './view.ts'

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
  /** What stands beside the question, such as a picture of the page. */
  readonly aside?: ComponentChildren
  /** Resolves to what went wrong, or `null`. `forTask`: all that is alike is approved, for the rest of the task. */
  answer(action: 'accept' | 'decline', content: string | null, forTask: boolean): Promise<string | null>
}

const WORDS = {
  question: { title: 'The task asks you', accept: 'Answer', decline: 'Do not answer' },
  approval: { title: 'Approve this action?', accept: 'Approve', decline: 'Decline' },
  takeover: { title: 'Please do this in the browser', accept: 'Done', decline: 'I cannot do this' },
} as const
const WITHOUT = {
  question: 'Continues without an answer',
  approval: 'Declined',
  takeover: 'Continues without it',
} as const

/** [I8] [I9] What a task asks, and the answer. The words of a page in it are text, never markup. */
export function RequestForm({ request, until, quietMs = 0, nameOf, aside, answer }: RequestFormProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const [isReady, setReady] = useState(quietMs === 0)
  const [content, setContent] = useState('')
  const { kind, message, call, schema } = request
  const { title, accept, decline } = WORDS[kind]
  const options = Array.isArray(schema?.enum) ? schema.enum.map(String) : null
  const choices = options ?? (isYesOrNo(message) ? ['Yes', 'No'] : [])
  const isUnanswered = kind === 'question' && content.trim() === ''
  useEffect(() => {
    if (isReady) return
    const timer = setTimeout(() => setReady(true), quietMs)
    return () => clearTimeout(timer)
  }, [])
  const give =
    (action: 'accept' | 'decline', forTask = false) =>
    async () => {
      setFailed(null)
      setFailed(await answer(action, kind === 'question' && action === 'accept' ? content : null, forTask))
    }
  return (
    <section class="input" aria-label={title}>
      <div class="asking">
        <h2>
          <Icon name={kind === 'takeover' ? 'hand' : 'question'} /> {title}
        </h2>
        {call === null ? <p class="words">{message}</p> : <Action {...call} />}
        {kind !== 'question' || choices.length === 0 ? null : (
          // biome-ignore lint/a11y/useSemanticElements: no set of fields
          <div class="chips" role="group" aria-label="Answers to choose from">
            {choices.map((choice) => (
              <button
                key={choice}
                type="button"
                class="plain"
                aria-pressed={choice === content}
                onClick={() => setContent(choice)}
              >
                {choice}
              </button>
            ))}
          </div>
        )}
        {kind !== 'question' || options !== null ? null : (
          <label>
            Your answer
            <textarea
              name="content"
              rows={2}
              maxLength={10_000}
              value={content}
              onInput={({ currentTarget }) => setContent(currentTarget.value)}
            />
          </label>
        )}
        <Failure message={failed} />
        <div class="actions">
          <Button kind="main" disabled={!isReady || isUnanswered} act={give('accept')}>
            {accept}
          </Button>
          <Button act={give('decline')}>{decline}</Button>
          <span class="quiet">
            {WITHOUT[kind]} {until}
          </span>
        </div>
        {call?.held ? (
          <>
            <p class="quiet means">Approve: it happens once, with these values. Other values are asked for again.</p>
            <Proof {...call.held} />
            <div class="quiet means">
              <Button disabled={!isReady} act={give('accept', true)}>
                Approve for the rest of this task
              </Button>
              <p>
                Each{' '}
                <code>
                  <Address text={call.held.shape} />
                </code>{' '}
                then happens without asking, whatever its values are.
              </p>
            </div>
          </>
        ) : null}
        {call === null ? null : <Asked {...call} nameOf={nameOf} />}
      </div>
      {aside}
    </section>
  )
}

const VERB_FIRST = /^(am|are|can|could|did|do|does|has|have|is|may|must|shall|should|was|were|will|would)\b.*\?$/is

/** Whether yes or no answers it: its last sentence begins with a verb, and leaves no choice between two things. */
function isYesOrNo(message: string): boolean {
  const last =
    message
      .trim()
      .split(/(?<=[.!?:])\s+/)
      .at(-1) ?? ''
  return VERB_FIRST.test(last) && !/\bor\b/i.test(last)
}

/** [I7] What will happen, and what of it has changed since it was approved. */
const Action = ({ tool, input, held, changed }: AskedCall) => (
  <>
    <p class="sentence">{sentenceOf({ tool, input, held })}</p>
    {changed ? <Changed {...changed} currency={currencyIn(held?.fields ?? [])} /> : null}
    {held === null ? (
      <p class="quiet">This browser cannot show what would be sent. You approve the action itself.</p>
    ) : null}
  </>
)

/** More values than these are folded. */
const VALUES_SHOWN = 4

/**
 * [I7] How it is known what will happen: the browser sees where a request goes by itself; what a button is called and what
 * values mean is the page's word alone.
 */
function Proof({ kind, site, path, target, fields }: NonNullable<AskedCall['held']>) {
  const [isWhole, setWhole] = useState(fields.length <= VALUES_SHOWN + 1)
  const shown = isWhole ? fields : fields.slice(0, VALUES_SHOWN)
  return (
    <div class="proof">
      <Known title="Checked by the browser" icon="check">
        <dt>{kind === 'request' ? 'Sends to' : 'Page'}</dt>
        <dd>
          <Address text={`${site}${path}`} />
        </dd>
      </Known>
      {target === null && fields.length === 0 ? null : (
        <Known title="What the page says (not checked)" icon="browser">
          {target === null ? null : (
            <>
              <dt>{kind === 'request' ? 'Pressed' : 'Acts on'}</dt>
              <dd>
                {target.role} “{target.name}”
              </dd>
            </>
          )}
          {shown.map(({ name, value }) => (
            <Fragment key={`${name}=${value}`}>
              <dt>{labelOf(name)}</dt>
              <dd>{readableValue(name, value, currencyIn(fields))}</dd>
            </Fragment>
          ))}
        </Known>
      )}
      {isWhole ? null : (
        <Button kind="link" act={() => setWhole(true)}>
          Show {fields.length - shown.length} more values
        </Button>
      )}
    </div>
  )
}

/** What is not as it was approved: values of fields, and numbers in the page that are none of these. */
function Changed({
  fields,
  numbers,
  currency,
}: NonNullable<AskedCall['changed']> & { readonly currency: string | null }) {
  const without = (all: readonly string[], when: 'before' | 'after') =>
    all.filter((number) => !fields.some((field) => field[when] === number)).join(', ') || null
  const [before, after] = [without(numbers.before, 'before'), without(numbers.after, 'after')]
  const hasNumbers = before !== null || after !== null
  return (
    <div class="changed">
      <p>
        <Icon name="warning" /> This has changed since you approved it
        {fields.length > 0 || hasNumbers ? ', the page says:' : '.'}
      </p>
      <dl class="terms">
        {fields.map((field) => (
          <Change
            key={field.name}
            name={labelOf(field.name)}
            before={field.before === null ? null : readableValue(field.name, field.before, currency)}
            after={field.after === null ? null : readableValue(field.name, field.after, currency)}
          />
        ))}
        {hasNumbers ? <Change name="Numbers on the page" before={before} after={after} /> : null}
      </dl>
    </div>
  )
}

interface ChangeProps {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

const Change = ({ name, before, after }: ChangeProps) => (
  <>
    <dt>{name}</dt>
    <dd>
      <del>{before ?? '(none)'}</del> → {after ?? '(none)'}
    </dd>
  </>
)

/** The name of a field as a person reads it: `items[0].name` as `Item 1 name`. */
function labelOf(name: string): string {
  const words = name
    .replace(/(?:(?<=[a-rt-z])s)?\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1} `)
    .replace(/[_.[\]\s]+/g, ' ')
    .trim()
  return words === '' ? '(no name)' : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

type Fields = NonNullable<AskedCall['held']>['fields']

/** The currency of a request, where one of its fields says it: `USD`. */
function currencyIn(fields: Fields): string | null {
  const said = fields.filter(({ name }) => /(?:^|[._[])currency(?:_?code)?\]?$/i.test(name)).map(({ value }) => value)
  return said.length === 1 && /^[a-z]{3}$/i.test(said[0] ?? '') ? (said[0] ?? '').toUpperCase() : null
}

const AMOUNT = /(?:total|price|amount|sum|fee|cost)\]?$/i
const READABLE: Readonly<Record<string, string>> = { '': '(empty)', true: 'yes', false: 'no' }

/** The value of a field as a person reads it: an amount with its currency, and `yes` for `true`. */
function readableValue(name: string, value: string, currency: string | null): string {
  if (currency !== null && AMOUNT.test(name) && /^\d[\d.,' ]*$/.test(value)) return `${currency} ${value}`
  if (value.toUpperCase() === currency) return currency
  return Object.hasOwn(READABLE, value) ? (READABLE[value] ?? value) : value
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

/** What the model asked for, and the request as it is. */
const Asked = ({ tool, input, held, nameOf }: AskedCall & { readonly nameOf: NameOf | undefined }) => (
  <>
    {held === null ? null : (
      <details>
        <summary class="quiet">Raw request</summary>
        <Pre label="Raw request">
          {`${held.method} ${held.site}${held.path}\n${held.fields.map(({ name, value }) => `${name}: ${value}`).join('\n')}`.trim()}
        </Pre>
      </details>
    )}
    <details>
      <summary class="quiet">
        The model asked for: {wordsFor(tool, input, nameOf)} (<code>{tool}</code>)
      </summary>
      <Pre label="Input of the model">{JSON.stringify(input, null, 2)}</Pre>
    </details>
  </>
)
