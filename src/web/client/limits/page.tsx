import type { LimitName, Limits } from '../../../wire/workspace-limits.ts'
import { messageOf, openApi } from '../api.ts'
import { Table } from '../table.tsx'
import { Loading, PageHead } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { type ComponentChildren, useMemo, useState } from '../view.ts'

export interface LimitsPageProps {
  readonly workspaceId: string
  readonly mayManage: boolean
}

const OPERATORS: LimitName = 'retention_days_audit'

interface Words {
  readonly name: string
  readonly unit?: string
  /** What it means that there is none. */
  readonly none?: string
}

const GROUPS: readonly (readonly [title: string, limits: Partial<Record<LimitName, Words>>])[] = [
  [
    'Throughput',
    {
      starts_per_minute: { name: 'Task starts per minute' },
      running_tasks: { name: 'Running tasks' },
      queued_tasks: { name: 'Queued tasks' },
      browser_sessions: { name: 'Paired browsers' },
    },
  ],
  [
    'Retention',
    {
      retention_days: { name: 'Ended tasks are kept', unit: 'days', none: 'as long as the service keeps them' },
      retention_days_files: { name: 'Screenshots and files are kept', unit: 'days', none: 'as long as their task' },
      retention_days_events: { name: 'Events are kept', unit: 'days', none: 'as long as their task' },
      retention_days_audit: {
        name: 'The audit log is kept',
        unit: 'days',
        none: 'as long as the service keeps it',
      },
    },
  ],
  [
    'Cost',
    {
      max_cost_usd_default: { name: 'Cost of a task without a limit of its own', unit: 'USD', none: 'no limit' },
      max_cost_usd_max: { name: 'Highest cost of a task', unit: 'USD', none: 'no limit' },
    },
  ],
]

/** [O14] The limits of a workspace, how much of them is used, and a form in which its owners lower them. */
export function LimitsPage({ workspaceId, mayManage }: LimitsPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, setAnswer, failed } = useAnswer<Limits>(() => api.limits.get(), [api])
  const [refused, setRefused] = useState<string | null>(null)
  const [isSaved, setSaved] = useState(false)
  const [isChanged, setChanged] = useState(false)
  if (answer === null) return <Loading failed={failed} />
  const save = async (event: Event) => {
    event.preventDefault()
    setRefused(null)
    setSaved(false)
    const given = [...new FormData(event.currentTarget as HTMLFormElement)].map(
      ([name, value]) => [name, String(value).trim()] as const,
    )
    const changes = Object.fromEntries(given.map(([name, text]) => [name, text === '' ? null : Number(text)]))
    try {
      setAnswer(await api.limits.update(changes))
      setSaved(true)
      setChanged(false)
    } catch (error) {
      setRefused(messageOf(error))
    }
  }
  // The API names the limit first.
  const wrong = (Object.keys(answer.allowed) as LimitName[]).find((name) => refused?.startsWith(`${name} `))
  const tables = GROUPS.map(([title, words]) => (
    <LimitTable
      key={title}
      title={title}
      words={words}
      limits={answer}
      mayManage={mayManage}
      wrong={wrong}
      message={refused?.replace(`${wrong} `, '') ?? ''}
    />
  ))
  return (
    <>
      <PageHead failed={wrong === undefined ? refused : null} docs={['/docs/errors', 'What happens at a limit']}>
        The operator of the service sets the limits of this workspace. Its owners can lower them, but not raise them.
      </PageHead>
      {mayManage ? (
        <form onSubmit={save} onInput={() => setChanged(true)}>
          {tables}
          <p class="actions">
            <button type="submit" class="main" disabled={!isChanged}>
              Save
            </button>{' '}
            <span class="quiet">An empty field leaves the operator’s limit in force.</span>
            <span role="status">{isSaved ? 'Saved.' : null}</span>
          </p>
        </form>
      ) : (
        tables
      )}
    </>
  )
}

interface LimitTableProps {
  readonly title: string
  readonly words: Partial<Record<LimitName, Words>>
  readonly limits: Limits
  readonly mayManage: boolean
  /** The limit whose change was refused, and why. */
  readonly wrong: LimitName | undefined
  readonly message: string
}

const quiet = (words: string) => <span class="quiet">{words}</span>

function LimitTable({ title, words, limits, mayManage, wrong, message }: LimitTableProps) {
  const wordsOf = (limit: LimitName) => words[limit] ?? { name: limit }
  const withUnit = (limit: LimitName, value: number | null): string => {
    const { unit, none = '' } = wordsOf(limit)
    return value === null
      ? none
      : unit === undefined
        ? value.toLocaleString('en')
        : `${value.toLocaleString('en')} ${unit}`
  }
  const used: Partial<Record<LimitName, number>> = limits.used
  const inForce = (limit: LimitName): ComponentChildren => {
    const [value, now] = [limits[limit], used[limit]]
    if (now === undefined || value === null) return withUnit(limit, value)
    return (
      <div class="in-use">
        {now.toLocaleString('en')} of {value.toLocaleString('en')} in use
        <meter min={0} max={value} value={now} aria-label={`${wordsOf(limit).name}: ${now} of ${value}`} />
      </div>
    )
  }
  const own = (limit: LimitName): ComponentChildren => {
    const most = limits.allowed[limit]
    if (limit === OPERATORS) return quiet('set by the operator')
    if (!mayManage)
      return limits.own[limit] === undefined ? quiet('not lowered') : withUnit(limit, limits.own[limit] ?? null)
    return (
      <div>
        <input
          name={limit}
          inputMode="decimal"
          size={8}
          aria-label={`${wordsOf(limit).name}: own limit`}
          placeholder={String(most ?? wordsOf(limit).unit ?? '')}
          defaultValue={limits.own[limit] ?? ''}
          {...(limit === wrong ? { 'aria-invalid': true, 'aria-describedby': `${limit}-wrong` } : {})}
        />
        {most === null ? null : <small class="quiet">Most: {withUnit(limit, most)}</small>}
        {limit !== wrong ? null : (
          <p id={`${limit}-wrong`} class="wrong" role="alert">
            {message}
          </p>
        )}
      </div>
    )
  }
  return (
    <>
      <h2>{title}</h2>
      <Table
        label={title}
        caption={`The limits of this workspace: ${title}`}
        rows={Object.keys(words) as LimitName[]}
        keyOf={(limit) => limit}
        columns={[
          { head: 'Limit', cell: (limit) => wordsOf(limit).name },
          { head: 'In force', cell: inForce },
          { head: 'Own limit', cell: own },
        ]}
      />
    </>
  )
}
