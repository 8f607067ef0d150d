import { TASK_CHARS_MAX } from '../../../wire/limits.ts'
import { type Api, type BrowserSession, messageOf, type Task } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { Failure, Select } from '../ui.tsx'
import { useRef, useState } from '../view.ts'
import { countOf, fieldsOf, noOptions, OptionFields } from './options.tsx'

interface StartProps {
  readonly api: Api
  readonly workspaceId: string
  readonly browsers: readonly BrowserSession[]
  /** Those that a task may ask for, the default first. */
  readonly models: readonly string[]
  /** The pool for whose tasks the service starts a browser by itself. */
  readonly ownPool: string | null
  readonly title?: string
  /** The ended task that this one goes on from. */
  readonly continues?: { readonly id: string; readonly browser: string }
}

/** What a task may run in: connected browsers that were paired, and pools, also one whose browsers are only started for it. */
function choicesOf(browsers: readonly BrowserSession[], ownPool: string | null) {
  const connected = browsers.filter(({ status }) => status === 'connected')
  const pools = new Set(connected.flatMap(({ pool }) => (pool ? [pool.name] : [])))
  if (ownPool !== null) pools.add(ownPool)
  return [
    ...connected
      .filter(({ pool }) => !pool)
      .map((each) => ({ value: each.id, name: nameOf(each), fields: { browser_session_id: each.id } })),
    ...[...pools].map((pool) => ({ value: `pool ${pool}`, name: `Pool ${pool}`, fields: { browser: { pool } } })),
  ]
}

/** The choice that a task was started with. */
export const choiceOf = ({ browser_session_id, request: { browser } }: Task): string =>
  browser?.pool ? `pool ${browser.pool}` : browser_session_id

/** What a first task may be: what the button says, and what it fills in. */
const EXAMPLES = [
  ['Weather in Lisbon', 'Find out what the weather will be like in Lisbon tomorrow.'],
  ['Compare three kettles', 'Find three well-reviewed kettles for less than $50 and compare them in a table.'],
  ['News in five lines', 'Sum up the front page of Hacker News in five lines.'],
] as const

/** Starts a task. What was typed stays when the start is refused, and while browsers come and go. */
export function StartForm({ api, workspaceId, browsers, models, ownPool, title, continues }: StartProps) {
  const [task, setTask] = useState('')
  const [url, setUrl] = useState('')
  const [browser, setBrowser] = useState<string | null>(continues?.browser ?? null)
  const [options, setOptions] = useState(() => noOptions(continues !== undefined))
  const [failed, setFailed] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const choices = choicesOf(browsers, ownPool)
  const chosen = choices.find(({ value }) => value === browser) ?? choices[0]

  const start = async (event: Event) => {
    event.preventDefault()
    if (!chosen) return
    setBusy(true)
    setFailed(null)
    try {
      const { id } = await api.tasks.create({
        task,
        ...(url === '' ? {} : { url }),
        ...chosen.fields,
        ...(continues ? { continue_task_id: continues.id } : {}),
        ...(await fieldsOf(options, api)),
      })
      location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
    } catch (error) {
      setFailed(messageOf(error))
      setBusy(false)
    }
  }
  const fill = (example: string) => {
    setTask(example)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit()
  }
  const set = countOf(options, noOptions(continues !== undefined)) + (url === '' ? 0 : 1)
  return (
    <section aria-labelledby="start-title">
      <h2 id="start-title" class={title === undefined ? 'hidden' : ''}>
        {title ?? 'New task'}
      </h2>
      <form class="start" onSubmit={start}>
        <div class="composer">
          <label>
            {continues ? 'What should be done next?' : 'What should be done?'}
            <textarea
              name="task"
              ref={field}
              rows={continues ? 2 : 3}
              maxLength={TASK_CHARS_MAX}
              required
              value={task}
              placeholder={
                continues
                  ? 'It knows what was found and done before.'
                  : 'Describe a task: Find the cheapest kettle in this shop and tell me its price'
              }
              onInput={({ currentTarget }) => setTask(currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </label>
          <Select
            label="Browser"
            name="browser"
            disabled={choices.length === 0}
            value={chosen?.value ?? ''}
            options={
              choices.length === 0 ? [['', 'No browser yet']] : choices.map(({ value, name }) => [value, name] as const)
            }
            change={setBrowser}
          />
          <button type="submit" class="main" disabled={isBusy || !chosen}>
            Start
          </button>
        </div>
        <details onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}>
          <summary>
            Options
            {set === 0 ? `: ${models.length > 1 ? 'model, approvals' : 'approvals'}, files, secrets` : ` · ${set} set`}
          </summary>
          <OptionFields options={options} models={models} continues={continues !== undefined} change={setOptions}>
            <label>
              Start page
              <input
                name="url"
                type="url"
                placeholder="https://…"
                value={url}
                onInput={({ currentTarget }) => setUrl(currentTarget.value)}
              />
            </label>
          </OptionFields>
        </details>
        {continues || task !== '' ? null : (
          // biome-ignore lint/a11y/useSemanticElements: no set of fields
          <div class="chips" role="group" aria-label="Examples">
            {EXAMPLES.map(([name, example]) => (
              <button key={name} type="button" class="plain" onClick={() => fill(example)}>
                {name}
              </button>
            ))}
          </div>
        )}
        <Failure message={failed} />
      </form>
    </section>
  )
}
