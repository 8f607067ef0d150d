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

/** What each limit is called, and what it means that there is none. */
const WORDS: Readonly<Record<LimitName, readonly [name: string, none?: string]>> = {
  starts_per_minute: ['Task starts per minute'],
  running_tasks: ['Running tasks'],
  queued_tasks: ['Queued tasks'],
  browser_sessions: ['Paired browsers'],
  retention_days: ['Ended tasks are kept (days)', 'as long as the service keeps them'],
  retention_days_files: ['Screenshots and files are kept (days)', 'as long as their task'],
  retention_days_events: ['Events are kept (days)', 'as long as their task'],
  retention_days_audit: ['The audit log is kept (days)', 'as long as the service keeps it'],
  max_cost_usd_default: ['Cost of a task without a limit of its own (USD)', 'no limit'],
  max_cost_usd_max: ['Highest cost of a task (USD)', 'no limit'],
}
const NAMES = Object.keys(WORDS) as LimitName[]

/** [O14] The limits of a workspace, how much of them is used, and a form in which its owners lower them. */
export function LimitsPage({ workspaceId, mayManage }: LimitsPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, setAnswer, failed } = useAnswer<Limits>(() => api.limits.get(), [api])
  const [refused, setRefused] = useState<string | null>(null)
  const [isSaved, setSaved] = useState(false)
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
    } catch (error) {
      setRefused(messageOf(error))
    }
  }
  // The API names the limit first.
  const wrong = NAMES.find((name) => refused?.startsWith(`${name} `))
  const table = (
    <LimitTable limits={answer} mayManage={mayManage} wrong={wrong} message={refused?.replace(`${wrong} `, '') ?? ''} />
  )
  return (
    <>
      <PageHead failed={wrong === undefined ? refused : null} docs={['/docs/errors', 'What happens at a limit']}>
        The operator of the service sets the limits of this workspace. Its owners can lower them, but not raise them.
      </PageHead>
      {mayManage ? (
        <form onSubmit={save}>
          {table}
          <p class="actions">
            <button type="submit" class="main">
              Save
            </button>{' '}
            <span class="quiet">An empty field leaves the operator’s limit in force.</span>
            <span role="status">{isSaved ? 'Saved.' : null}</span>
          </p>
        </form>
      ) : (
        table
      )}
    </>
  )
}

interface LimitTableProps {
  readonly limits: Limits
  readonly mayManage: boolean
  /** The limit whose change was refused, and why. */
  readonly wrong: LimitName | undefined
  readonly message: string
}

const quiet = (words: string) => <span class="quiet">{words}</span>

function LimitTable({ limits, mayManage, wrong, message }: LimitTableProps) {
  const shown = (name: LimitName, value: number | null): ComponentChildren =>
    value === null ? quiet(WORDS[name][1] ?? '') : value.toLocaleString('en')
  const used: Partial<Record<LimitName, number>> = limits.used
  const own = (name: LimitName) =>
    name === OPERATORS ? (
      quiet('set by the operator')
    ) : mayManage ? (
      <>
        <input
          name={name}
          inputMode="decimal"
          size={8}
          aria-label={`${WORDS[name][0]}: own limit`}
          defaultValue={limits.own[name] ?? ''}
          {...(name === wrong ? { 'aria-invalid': true, 'aria-describedby': `${name}-wrong` } : {})}
        />
        {name !== wrong ? null : (
          <p id={`${name}-wrong`} class="wrong" role="alert">
            {message}
          </p>
        )}
      </>
    ) : (
      (limits.own[name] ?? quiet('not lowered'))
    )
  return (
    <Table
      label="Limits"
      caption="The limits of this workspace"
      rows={NAMES}
      keyOf={(name) => name}
      columns={[
        { head: 'Limit', cell: (name) => WORDS[name][0] },
        { head: 'In force', cell: (name) => shown(name, limits[name]) },
        { head: 'In use', cell: (name) => used[name] ?? quiet('–') },
        { head: 'Operator allows', cell: (name) => shown(name, limits.allowed[name]) },
        { head: 'Own limit', cell: own },
      ]}
    />
  )
}
