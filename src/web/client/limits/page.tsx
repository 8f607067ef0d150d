import type { LimitName, Limits } from '../../../wire/workspace-limits.ts'
import { messageOf, openApi } from '../api.ts'
import { Table } from '../table.tsx'
import { Loading, PageHead } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { type ComponentChildren, useMemo, useState } from '../view.ts'
import { LIMIT_WORDS, withUnit } from './words.ts'

export interface LimitsPageProps {
  readonly workspaceId: string
  readonly mayManage: boolean
}

const OPERATORS: LimitName = 'retention_days_audit'

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
  const table = (
    <LimitTable limits={answer} mayManage={mayManage} wrong={wrong} message={refused?.replace(`${wrong} `, '') ?? ''} />
  )
  return (
    <>
      <PageHead failed={wrong === undefined ? refused : null} docs={['/docs/errors', 'What happens at a limit']}>
        The operator of the service sets the limits of this workspace. Its owners can lower them, but not raise them.
        {mayManage ? ' An empty field leaves the operator’s limit in force.' : null}
      </PageHead>
      {mayManage ? (
        <form onSubmit={save} onInput={() => setChanged(true)}>
          {table}
          {isChanged ? (
            <div class="save">
              <button type="submit" class="main">
                Save
              </button>
            </div>
          ) : null}
          <p role="status">{isSaved && !isChanged ? 'Saved.' : null}</p>
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
  const used: Partial<Record<LimitName, number>> = limits.used
  const inForce = (limit: LimitName): ComponentChildren => {
    const [value, now] = [limits[limit], used[limit]]
    if (now === undefined || value === null) return withUnit(LIMIT_WORDS[limit], value)
    return (
      <div class="in-use">
        {now.toLocaleString('en')} of {value.toLocaleString('en')} in use
        <meter min={0} max={value} value={now} aria-label={`${LIMIT_WORDS[limit].name}: ${now} of ${value}`} />
      </div>
    )
  }
  const own = (limit: LimitName): ComponentChildren => {
    const { name, unit } = LIMIT_WORDS[limit]
    if (limit === OPERATORS) return quiet('set by the operator')
    if (!mayManage)
      return limits.own[limit] === undefined
        ? quiet('not lowered')
        : withUnit(LIMIT_WORDS[limit], limits.own[limit] ?? null)
    return (
      <div class="own-limit">
        <span class="with-unit">
          <input
            name={limit}
            inputMode="decimal"
            aria-label={`${name}: own limit`}
            placeholder="Not set"
            defaultValue={limits.own[limit] ?? ''}
            {...(limit === wrong ? { 'aria-invalid': true, 'aria-describedby': `${limit}-wrong` } : {})}
          />
          {unit === undefined ? null : quiet(unit)}
        </span>
        {limit !== wrong ? null : (
          <p id={`${limit}-wrong`} class="wrong" role="alert">
            {message}
          </p>
        )}
      </div>
    )
  }
  return (
    <Table
      label="Limits"
      caption="The limits of this workspace"
      rows={Object.keys(LIMIT_WORDS) as LimitName[]}
      keyOf={(limit) => limit}
      groupOf={(limit) => LIMIT_WORDS[limit].group}
      columns={[
        { head: 'Limit', cell: (limit) => LIMIT_WORDS[limit].name },
        { head: 'In force', cell: inForce },
        { head: 'Own limit', cell: own },
      ]}
    />
  )
}
