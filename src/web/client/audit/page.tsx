import type { AuditEntry, AuditList } from '../../../wire/audit.ts'
import { messageOf, openApi } from '../api.ts'
import { ago, localTime } from '../format.ts'
import { Table } from '../table.tsx'
import { Button, Empty, Loading, PageHead } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { type ComponentChildren, useMemo, useState } from '../view.ts'

/** [O11] What was done in a workspace, newest first. */
export function AuditPage({ workspaceId }: { readonly workspaceId: string }) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, setAnswer, failed } = useAnswer<AuditList>(() => api.request('GET /v1/audit'), [api])
  const [refused, setRefused] = useState<string | null>(null)
  if (answer === null) return <Loading failed={failed} />
  const { entries, next_cursor: cursor } = answer
  const older = async () => {
    const page = await api.request('GET /v1/audit', { query: { cursor: cursor ?? undefined } })
    setAnswer({ ...page, entries: [...entries, ...page.entries] })
  }
  return (
    <>
      <PageHead failed={refused ?? failed} docs={['/docs/security#audit-log', 'What is in it']}>
        Who did what in this workspace, by which key and from where.
      </PageHead>
      {entries.length === 0 ? (
        <Empty title="No entries yet" icon="eye">
          <p>
            Sign-ins, keys, members, limits, browsers and every change through the API are noted here, refused ones too.
            Secrets and the texts of tasks never are.
          </p>
        </Empty>
      ) : (
        <Table
          label="Audit log"
          caption="The audit log, newest first"
          rows={entries}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Time', cell: ({ at }) => <Exactly at={at} /> },
            {
              head: 'Action',
              cell: ({ action, outcome }) => (
                <span>
                  <code>{action}</code> {outcome === 'refused' ? <strong>refused</strong> : null}
                </span>
              ),
            },
            {
              head: 'By',
              words: true,
              cell: ({ actor }) => (
                <span>
                  {actor.name} <span class="quiet">({actor.role ?? actor.kind})</span>
                </span>
              ),
            },
            { head: 'From', cell: ({ address }) => orDash(address) },
            { head: 'On', words: true, cell: ({ resource_id: id }) => orDash(id) },
            { head: 'Details', words: true, cell: ({ details }) => orDash(details && detailsOf(details)) },
          ]}
        />
      )}
      {cursor === null ? null : (
        <p>
          <Button act={() => older().catch((error) => setRefused(messageOf(error)))}>Older entries</Button>
        </p>
      )}
    </>
  )
}

const Exactly = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={ago(at, Date.now())}>
    {localTime(at)}
  </time>
)

const orDash = (text: ComponentChildren) => text ?? <span class="quiet">–</span>

const detailsOf = (details: NonNullable<AuditEntry['details']>): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' ')
