import { AUDIT_ACTIONS } from '../../../../machines/audit-records.ts'
import type { AuditEntry, AuditList } from '../../../wire/audit.ts'
import { messageOf, openApi } from '../api.ts'
import { DateField, Filters, startOf } from '../filters.tsx'
import { ago, capitalized, localClock, localDay, localTime, nameAndAddress, spaced } from '../format.ts'
import { LIMIT_WORDS, type LimitWords, withUnit } from '../limits/words.ts'
import { Table } from '../table.tsx'
import { Badge, Button, CopyButton, Empty, Fact, Loading, PageHead, Select } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useQuery } from '../use-query.ts'
import { useMemo, useState } from '../view.ts'

interface AuditPageProps {
  readonly workspaceId: string
  /** The operations that the log may have. */
  readonly operations: readonly string[]
}

const FILTERS = { action: 'Action', key: 'Key', from: 'From', to: 'To' } as const

/** [O11] What was done in a workspace, newest first. */
export function AuditPage({ workspaceId, operations }: AuditPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { query, change, clear, chosen } = useQuery(['action', 'key', 'from', 'to'])
  const page = (cursor?: string) =>
    api.request('GET /v1/audit', {
      query: {
        ...{ cursor, from: startOf(query.from), to: startOf(query.to, 1) },
        ...{ action: query.action || undefined, key_id: query.key || undefined },
      },
    })
  const { answer, setAnswer, failed } = useAnswer<AuditList>(page, [api, query])
  const keys = useAnswer(() => api.keys.list(), [api])
  const [refused, setRefused] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  if (answer === null && failed === null) return <Loading failed={null} />
  const { entries, next_cursor: cursor } = answer ?? { entries: [], next_cursor: null }
  const older = async (from: string) => {
    const next = await page(from)
    setAnswer({ ...next, entries: [...entries, ...next.entries] })
  }
  const names = new Map([
    ...(query.key === '' ? [] : [[query.key, `Key ${query.key.slice(0, 8)}`] as const]),
    ...(keys.answer ?? []).map(({ id, name }) => [id, name] as const),
  ])
  const actions = new Set([...AUDIT_ACTIONS, ...operations, ...(query.action === '' ? [] : [query.action])])
  return (
    <>
      <PageHead failed={refused ?? failed} docs={['/docs/security#audit-log', 'What is in it']}>
        Who did what in this workspace, by which key and from where.
      </PageHead>
      {entries.length === 0 && chosen.length === 0 ? null : (
        <Filters
          chosen={chosen.length}
          clear={clear}
          chips={chosen.map((name) => ({
            words: `${FILTERS[name]}: ${name === 'action' ? wordsOf(query.action) : name === 'key' ? (names.get(query.key) ?? query.key) : dayOf(query[name])}`,
            remove: () => change({ [name]: '' }),
          }))}
        >
          <Select
            label="Action"
            id="action"
            value={query.action}
            options={[['', 'Any action'], ...[...actions].sort().map((name) => [name, wordsOf(name)] as const)]}
            change={(action) => change({ action })}
          />
          <Select
            label="Key"
            id="key"
            value={query.key}
            options={[['', 'Any key or person'], ...names]}
            change={(key) => change({ key })}
          />
          <DateField label="From" id="from" value={query.from} change={(from) => change({ from })} />
          <DateField label="To" id="to" value={query.to} change={(to) => change({ to })} />
        </Filters>
      )}
      {entries.length > 0 || failed !== null ? null : chosen.length > 0 ? (
        <p class="empty">No entry matches these filters.</p>
      ) : (
        <Empty title="No entries yet" icon="list">
          <p>
            Sign-ins, keys, members, limits, browsers and every change through the API are noted here, refused ones too.
            Secrets and the texts of tasks never are.
          </p>
        </Empty>
      )}
      {entries.length === 0 ? null : (
        <Table
          label="Audit log"
          caption="The audit log, newest first"
          rows={entries}
          keyOf={({ id }) => id}
          groupOf={({ at }) => localDay(at)}
          opens={{
            key: shown,
            label: ({ at, action }) => `Details of ${wordsOf(action)}, ${localTime(at)}`,
            detail: (entry) => <Details {...entry} />,
            toggle: (id) => setShown(id === shown ? null : id),
          }}
          columns={[
            {
              head: 'Action',
              words: true,
              cell: ({ action, outcome, details }) => (
                <span>
                  {wordsOf(action)}{' '}
                  {outcome === 'refused' ? (
                    <Badge tone="bad" icon="cross">
                      Refused
                    </Badge>
                  ) : null}
                  {details === null ? null : <small class="quiet">{detailsOf(details)}</small>}
                </span>
              ),
            },
            {
              head: 'By',
              words: true,
              cell: ({ actor: { name: whole, role, kind } }) => {
                const [name, address] = nameAndAddress(whole)
                return (
                  <span>
                    {name} <small class="quiet">{[address, role ?? kind].filter(Boolean).join(', ')}</small>
                  </span>
                )
              },
            },
            { head: 'From', cell: ({ address }) => address ?? <span class="quiet">–</span> },
            { head: 'Time', cell: ({ at }) => <Exactly at={at} /> },
          ]}
        />
      )}
      {cursor === null ? null : (
        <p>
          <Button act={() => older(cursor).catch((error) => setRefused(messageOf(error)))}>Show more</Button>
        </p>
      )}
    </>
  )
}

const Exactly = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={ago(at, Date.now())}>
    {localClock(at)}
  </time>
)

/** `2026-11-26` as the table has it; what is no day as it is. */
function dayOf(day: string): string {
  const at = startOf(day)
  return at === undefined ? day : localDay(at)
}

/** What of an entry its row does not show: ids, whole. */
const Details = ({ action, actor, key_id: keyId, resource_id: resource }: AuditEntry) => (
  <dl class="fields">
    <Fact name="Operation">
      <code>{action}</code>
    </Fact>
    {resource === null ? null : (
      <Fact name="Done to">
        <CopyButton text={resource}>{resource}</CopyButton>
      </Fact>
    )}
    {actor.id === null ? null : (
      <Fact name={`Id of the ${actor.kind}`}>
        <CopyButton text={actor.id}>{actor.id}</CopyButton>
      </Fact>
    )}
    {keyId === null || keyId === actor.id ? null : (
      <Fact name="Key">
        <CopyButton text={keyId}>{keyId}</CopyButton>
      </Fact>
    )}
  </dl>
)

/** `createApiKey` as `Create API key`. */
const wordsOf = (action: string): string => {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bapi\b/, 'API')
  return capitalized(words)
}

/** What was changed, in words: `Running tasks 4, highest cost of a task $2.00`. */
const detailsOf = (details: NonNullable<AuditEntry['details']>): string =>
  Object.entries(details)
    .map(([name, value], at) => {
      const words = detailOf(name, value)
      return at === 0 && !PLAIN.includes(name) ? capitalized(words) : words
    })
    .join(', ')

/** These say what they are. */
const PLAIN = ['name', 'type', 'email', 'role']

function detailOf(name: string, value: unknown): string {
  if (PLAIN.includes(name)) return String(value)
  const limit: LimitWords | undefined = LIMIT_WORDS[name as keyof typeof LIMIT_WORDS]
  if (limit === undefined) return `${spaced(name)}: ${value}`
  const shown = typeof value === 'number' || value === null ? withUnit(limit, value) : String(value)
  return `${limit.name.charAt(0).toLowerCase()}${limit.name.slice(1)} ${shown}`
}
