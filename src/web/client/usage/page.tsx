import type { UsageGroup, UsageSummary } from '../../../wire/account.ts'
import type { RecipeSummary } from '../../../wire/recipes.ts'
import { type Api, openApi } from '../api.ts'
import { count, usd } from '../format.ts'
import { Table } from '../table.tsx'
import { Fact, Loading, Select } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'
import { type Bar, Plot, SERIES_MAX } from './plot.tsx'

export interface UsagePageProps {
  readonly workspaceId: string
}

const DAY_MS = 86_400_000
const RANGES = [7, 30, 90] as const
const DAYS_DEFAULT = 30

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** `12,740,000` as `12.7 M`. */
const short = (count: number): string => COMPACT.format(count).replace(/[A-Z]$/, '\u00a0$&')

const MEASURES = {
  tasks: ['Tasks', (group: UsageGroup) => group.tasks, whole],
  cost: ['Cost', (group: UsageGroup) => group.cost_usd ?? 0, usd],
  tokens: ['Tokens', (group: UsageGroup) => group.input_tokens + group.output_tokens, short],
} as const
type Measure = keyof typeof MEASURES

const OUTCOMES = { complete: 'Done', error: 'Failed or stopped' } as const

/** [P37] What the workspace used, by day, model, key and outcome, and what it may still use. */
export function UsagePage({ workspaceId }: UsagePageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [days, setDays] = useState<number>(DAYS_DEFAULT)
  const [measure, setMeasure] = useState<Measure>('tasks')
  const since = useMemo(() => sinceOf(days), [days])
  const { answer, failed } = useAnswer(() => api.usage.get({ since, group_by: 'day,model,key,outcome' }), [api, since])
  return (
    <>
      <form class="filters row beside-title" onSubmit={(event) => event.preventDefault()}>
        <Select
          label="Days (UTC)"
          id="days"
          value={String(days)}
          options={RANGES.map((range) => [String(range), `Last ${range} days`])}
          change={(value) => setDays(Number(value))}
        />
        <Select
          label="Chart"
          id="measure"
          value={measure}
          options={Object.entries(MEASURES).map(([name, [words]]) => [name, `${words} by day`])}
          change={(value) => setMeasure(value as Measure)}
        />
      </form>
      <div class="usage">
        <div>
          {answer === null ? (
            <Loading failed={failed} />
          ) : (
            <Used api={api} {...{ workspaceId, answer, since, days, measure }} />
          )}
        </div>
        <aside>
          <LimitsInUse api={api} workspaceId={workspaceId} />
          <Saved api={api} workspaceId={workspaceId} />
          <Credit api={api} />
        </aside>
      </div>
    </>
  )
}

/** The midnight with which so many days begin, today the last of them. */
function sinceOf(days: number): number {
  const now = Date.now()
  return now - (now % DAY_MS) - (days - 1) * DAY_MS
}

interface UsedProps {
  readonly api: Api
  readonly workspaceId: string
  readonly answer: UsageSummary
  readonly since: number
  readonly days: number
  readonly measure: Measure
}

function Used({ api, workspaceId, answer, since, days, measure }: UsedProps) {
  const groups = answer.groups ?? []
  const [words, of, said] = MEASURES[measure]
  const series = seriesOf(groups, of)
  const bars = Array.from({ length: days }, (_, index): Bar => {
    const day = new Date(since + index * DAY_MS).toISOString().slice(0, 10)
    const own = groups.filter((group) => group.day === day)
    const values = series.map(({ models }) =>
      sumOf(
        own.filter(({ model = '' }) => models.includes(model)),
        of,
      ),
    )
    return { day, values, rest: facts(own) }
  })
  const today = groups.filter(({ day }) => day === bars.at(-1)?.day)
  return (
    <>
      <dl class="figures">
        <Fact name="Tasks">{whole(answer.taskCount)}</Fact>
        <Fact name="Cost">{answer.totalCostUsd === null ? 'unknown' : usd(answer.totalCostUsd)}</Fact>
        <Fact name="Tokens in">{compact(answer.totalInputTokens)}</Fact>
        <Fact name="Tokens out">{compact(answer.totalOutputTokens)}</Fact>
        <Fact name="Model calls">{whole(answer.totalApiCalls)}</Fact>
      </dl>
      {answer.unpricedModels === undefined ? null : (
        <p class="quiet">Not in the cost, because they have no price: {answer.unpricedModels.join(', ')}.</p>
      )}
      <Plot
        title={`${words} by day`}
        today={`Today: ${facts(today)}, ${percentOf(sumOf(today, of), sumOf(groups, of))} % of the ${words.toLowerCase()} of these ${days} days`}
        bars={bars}
        series={series.map(({ name }) => name)}
        said={said}
        empty={
          groups.length > 0 ? (
            'Nothing of it in these days.'
          ) : (
            <>
              <p>No usage in these days. It appears here when a task ends.</p>
              <a class="button main" href={`/dashboard?workspace=${workspaceId}`}>
                Start a task
              </a>
            </>
          )
        }
      />
      {groups.length === 0 ? null : (
        <>
          <Breakdown title="By model" head="Model" {...{ groups, of, words }} nameOf={({ model = '' }) => model} />
          <Keys api={api} {...{ groups, of, words }} />
          <Breakdown title="By outcome" head="Outcome" {...{ groups, of, words }} nameOf={outcomeOf} />
        </>
      )}
    </>
  )
}

const percentOf = (part: number, all: number): number => Math.round((100 * part) / (all || 1))

const sumOf = (groups: readonly UsageGroup[], of: (group: UsageGroup) => number): number =>
  groups.reduce((sum, group) => sum + of(group), 0)

/** The models that the bars are made of, the one with the most first; those that have no colour left are one. */
function seriesOf(groups: readonly UsageGroup[], of: (group: UsageGroup) => number) {
  const models = [...new Set(groups.map(({ model = '' }) => model))]
    .map((name) => ({
      name,
      value: sumOf(
        groups.filter(({ model = '' }) => model === name),
        of,
      ),
    }))
    .filter(({ value }) => value > 0)
    .sort((one, other) => other.value - one.value)
    .map(({ name }) => name)
  const own = models.length > SERIES_MAX ? models.slice(0, SERIES_MAX - 1) : models
  const others = models.slice(own.length)
  const series = own.map((name) => ({ name, models: [name] }))
  return others.length === 0 ? series : [...series, { name: 'Other models', models: others }]
}

const outcomeOf = ({ outcome }: UsageGroup): string => (outcome ? OUTCOMES[outcome] : 'Not recorded')

function Keys({ api, ...shown }: { readonly api: Api } & Pick<BreakdownProps, 'groups' | 'of' | 'words'>) {
  const { answer } = useAnswer(() => api.keys.list(), [api])
  const names = new Map(answer?.map(({ id, name }) => [id, name]))
  const nameOf = ({ key_id: id = null }: UsageGroup) =>
    id === null ? 'Without a key' : (names.get(id) ?? `Deleted key ${id.slice(0, 8)}`)
  return answer === null ? null : <Breakdown title="By key" head="Key" {...shown} nameOf={nameOf} />
}

interface BreakdownProps {
  readonly title: string
  readonly head: string
  readonly groups: readonly UsageGroup[]
  nameOf(group: UsageGroup): string
  /** What the bars show a share of: its name, and how much of it a group has. */
  readonly words: string
  of(group: UsageGroup): number
}

/** The same usage by one of its parts, the greatest first, each with a bar. */
function Breakdown({ title, head, groups, nameOf, of, words }: BreakdownProps) {
  const names = [...new Set(groups.map(nameOf))]
  const rows = names
    .map((name) => {
      const own = groups.filter((group) => nameOf(group) === name)
      return { name, own, value: sumOf(own, of) }
    })
    .sort((one, other) => other.value - one.value)
  const all = sumOf(groups, of)
  const number = (of: (group: UsageGroup) => number) => (row: (typeof rows)[number]) => compact(sumOf(row.own, of))
  return (
    <>
      <h2>{title}</h2>
      <Table
        label={title}
        caption={`Usage ${title.toLowerCase()}`}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          {
            head,
            words: true,
            cell: ({ name, value }) => (
              <>
                {name}{' '}
                <span class="quiet">
                  {percentOf(value, all)} % of {words.toLowerCase()}
                </span>
                <svg class="share-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={percentOf(value, all)} height={1} />
                </svg>
              </>
            ),
          },
          { head: 'Tasks', cell: number(({ tasks }) => tasks), number: true },
          { head: 'Model calls', cell: number((group) => group.api_calls), number: true },
          { head: 'Tokens in', cell: number((group) => group.input_tokens), number: true },
          { head: 'Cached', cell: number((group) => group.cached_tokens), number: true },
          { head: 'Tokens out', cell: number((group) => group.output_tokens), number: true },
          { head: 'Cost', cell: ({ own }) => costText(own), number: true },
        ]}
      />
    </>
  )
}

function costOf(groups: readonly UsageGroup[]): number | null {
  const costs = groups.flatMap(({ cost_usd: cost }) => (cost === null ? [] : [cost]))
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)
}

function costText(groups: readonly UsageGroup[]): string {
  const cost = costOf(groups)
  return cost === null ? 'unknown' : usd(cost)
}

const facts = (groups: readonly UsageGroup[]): string =>
  `${count(
    sumOf(groups, ({ tasks }) => tasks),
    'task',
  )}, ${groups.length === 0 ? usd(0) : costText(groups)}`

/** [J16] What recipes have saved since they were made. */
function Saved({ api, workspaceId }: { readonly api: Api; readonly workspaceId: string }) {
  const { answer, failed } = useAnswer(() => savedByRecipes(api), [api])
  return (
    <section aria-labelledby="saved-title">
      <h2 id="saved-title">Saved by recipes</h2>
      {answer === null ? (
        <Loading failed={failed} />
      ) : answer.calls === 0 ? (
        <p class="quiet">Nothing yet. A recipe does again what a task did once, without a model.</p>
      ) : (
        <p>
          Recipes have saved <strong>{count(answer.calls, 'model call')}</strong> and{' '}
          <strong>{usd(answer.cost)}</strong> so far: they did again without a model what a task had done once.
        </p>
      )}
      <p>
        <a href={`/dashboard/recipes?workspace=${workspaceId}`}>Recipes</a>
      </p>
    </section>
  )
}

async function savedByRecipes(api: Api) {
  const recipes: RecipeSummary[] = []
  for await (const recipe of api.recipes.list()) recipes.push(recipe)
  const sum = (of: (runs: RecipeSummary['runs']) => number) => recipes.reduce((total, { runs }) => total + of(runs), 0)
  return { calls: sum((runs) => runs.model_calls_saved), cost: sum((runs) => runs.cost_usd_saved) }
}

/** What a task costs, and how many are left. */
function Credit({ api }: { readonly api: Api }) {
  const { answer, failed } = useAnswer(() => api.usage.credits(), [api])
  return (
    <section aria-labelledby="credits-title">
      <h2 id="credits-title">Credits</h2>
      {answer === null ? (
        <Loading failed={failed} />
      ) : answer.free_remaining === null ? (
        <p>Tasks need no credits: billing is not configured on this service. You pay your model provider directly.</p>
      ) : (
        <>
          <dl class="figures">
            <Fact name={`Free tasks left this month (of ${answer.free_tasks_per_month ?? 0})`}>
              {whole(answer.free_remaining)}
            </Fact>
            <Fact name="Credits">{whole(answer.credit_balance)}</Fact>
          </dl>
          <p>
            A credit is one completed task. The free tasks of the month are used first; they are counted anew on the
            first day of each month (UTC). A task that fails or is stopped costs nothing.
          </p>
          {answer.free_remaining + answer.credit_balance > 0 ? null : (
            <p class="notice">
              No tasks are left: a start is refused until credits are bought or the next month begins.
            </p>
          )}
        </>
      )}
    </section>
  )
}

const IN_USE = {
  running_tasks: 'Running tasks',
  starts_per_minute: 'Task starts in this minute',
  browser_sessions: 'Paired browsers',
} as const

/** What is used now, beside what is allowed. */
function LimitsInUse({ api, workspaceId }: { readonly api: Api; readonly workspaceId: string }) {
  const { answer, failed } = useAnswer(() => api.limits.get(), [api])
  return (
    <section aria-labelledby="limits-title">
      <h2 id="limits-title">Limits</h2>
      {answer === null ? (
        <Loading failed={failed} />
      ) : (
        <dl class="figures">
          {Object.entries(IN_USE).map(([name, words]) => {
            const limit = answer[name as keyof typeof IN_USE] ?? 0
            const used = answer.used[name as keyof typeof IN_USE] ?? 0
            return (
              <Fact key={name} name={words}>
                <span>
                  {whole(used)} <span class="quiet">of {whole(limit)}</span>
                </span>{' '}
                <meter min={0} max={limit} value={used} aria-label={`${words}: ${used} of ${limit}`} />
              </Fact>
            )
          })}
        </dl>
      )}
      <p>
        <a href={`/dashboard/limits?workspace=${workspaceId}`}>All limits</a>
      </p>
    </section>
  )
}

/** The same, with all of it as its title. */
const compact = (count: number) => (count < 10_000 ? whole(count) : <span title={whole(count)}>{short(count)}</span>)

function whole(count: number): string {
  return count.toLocaleString('en')
}
