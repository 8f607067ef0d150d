import type { AuditEntry, AuditList } from '../../../wire/audit.ts'
import { messageOf, openApi } from '../api.ts'
import { ago, localTime } from '../format.ts'
import { Table } from '../table.tsx'
import { Badge, Button, CopyButton, Empty, Loading, PageHead } from '../ui.tsx'
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
                  {wordsOf(action)}{' '}
                  {outcome === 'refused' ? (
                    <Badge tone="bad" icon="cross">
                      Refused
                    </Badge>
                  ) : null}
                  <small class="quiet">{action}</small>
                </span>
              ),
            },
            {
              head: 'By',
              words: true,
              cell: ({ actor }) => (
                <span>
                  {actor.name.replace(ADDRESS, '')}{' '}
                  <small class="quiet">
                    {[ADDRESS.exec(actor.name)?.[1], actor.role ?? actor.kind].filter(Boolean).join(', ')}
                  </small>
                </span>
              ),
            },
            { head: 'From', cell: ({ address }) => orDash(address) },
            { head: 'On', words: true, cell: ({ resource_id: id }) => orDash(id && <Id of={id} />) },
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

/** The address behind the name of a user. */
const ADDRESS = / \(([^()]+@[^()]+)\)$/

/** `createApiKey` as `Create api key`. */
const wordsOf = (action: string): string => {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** From so many characters on the middle of an id is left out. */
const ID_CHARS_MAX = 16

/** An id, copied with a press. */
const Id = ({ of }: { readonly of: string }) => (
  <CopyButton text={of}>{of.length > ID_CHARS_MAX ? `${of.slice(0, 8)}…${of.slice(-4)}` : of}</CopyButton>
)

const orDash = (text: ComponentChildren) => text ?? <span class="quiet">–</span>

const detailsOf = (details: NonNullable<AuditEntry['details']>): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
