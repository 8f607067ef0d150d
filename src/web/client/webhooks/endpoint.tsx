import type { Delivery, Endpoint } from '../../../wire/webhooks.ts'
import { type Api, messageOf, openApi } from '../api.ts'
import { Filters } from '../filters.tsx'
import { localTime, span } from '../format.ts'
import { Table } from '../table.tsx'
import { Ago, Badge, Button, Failure, Pre, Select, useNow } from '../ui.tsx'
import { useQuery } from '../use-query.ts'
import { useEffect, useMemo, useState } from '../view.ts'
import { EndpointState } from './page.tsx'

export interface EndpointPageProps {
  readonly workspaceId: string
  readonly endpointId: string
  readonly mayManage: boolean
}

/** What is under way changes by itself. */
const READ_EVERY_MS = 3_000

/** [W15] What was sent to an endpoint, newest first, with every attempt. */
export function EndpointPage({ workspaceId, endpointId, mayManage }: EndpointPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { query, change, clear, chosen } = useQuery(['task', 'status'])
  const page = (from?: string | null) =>
    api.request('GET /v1/webhook-endpoints/{id}/deliveries', {
      path: { id: endpointId },
      query: {
        ...{ task_id: query.task || undefined, status: (query.status || undefined) as Delivery['status'] | undefined },
        cursor: from ?? undefined,
      },
    })
  const [endpoint, setEndpoint] = useState<Endpoint | null>(null)
  const [deliveries, setDeliveries] = useState<readonly Delivery[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [isLong, setLong] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)
  const now = useNow(true)
  const read = async () => {
    const [found, first] = await Promise.all([api.webhooks.get(endpointId), page()])
    setEndpoint(found)
    setDeliveries((before) => merged(first.data, isLong ? (before ?? []) : []))
    if (!isLong) setCursor(first.next_cursor)
  }
  const attempt = (act: () => Promise<unknown>) => async () => {
    setFailed(null)
    await act().then(read, (error) => setFailed(messageOf(error)))
  }
  useEffect(() => {
    void attempt(async () => {})()
    const timer = setInterval(() => !document.hidden && void read().catch(() => {}), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [api, isLong, query])
  const more = async () => {
    const next = await page(cursor)
    setDeliveries((before) => merged(before ?? [], next.data))
    setCursor(next.next_cursor)
    setLong(true)
  }
  const narrow = (changed: Parameters<typeof change>[0]) => {
    setLong(false)
    change(changed)
  }
  if (endpoint === null || deliveries === null) {
    return failed === null ? <p class="loading">Loading …</p> : <Failure message={failed} />
  }
  return (
    <>
      <p>
        <a href={`/dashboard/webhooks?workspace=${workspaceId}`}>← All endpoints</a>
      </p>
      <div class="summary">
        <p class="facts">
          <EndpointState {...endpoint} now={now} />
        </p>
        <p class="facts quiet words">{endpoint.url}</p>
        {!mayManage ? null : (
          <div class="actions">
            <Button act={attempt(() => api.webhooks.test(endpointId))}>Send test</Button>
            <Button act={attempt(() => api.webhooks.recover(endpointId, 0))}>Resend all failed</Button>
          </div>
        )}
      </div>
      <Failure message={failed} />
      <Filters
        chosen={chosen.length}
        clear={() => {
          setLong(false)
          clear()
        }}
      >
        <Select
          label="Status"
          id="delivery-status"
          value={query.status}
          options={[
            ['', 'Any status'],
            ...Object.entries(LOOKS).map(([status, [, , words]]) => [status, words] as const),
          ]}
          change={(status) => narrow({ status })}
        />
        <label for="delivery-task">
          Task
          <input
            id="delivery-task"
            placeholder="Task id"
            value={query.task}
            onChange={({ currentTarget }) => narrow({ task: currentTarget.value.trim() })}
          />
        </label>
      </Filters>
      {deliveries.length > 0 ? null : (
        <p class="empty">
          {chosen.length === 0
            ? 'Nothing was sent yet. A test shows whether the endpoint answers.'
            : 'No delivery matches these filters.'}
        </p>
      )}
      {deliveries.length === 0 ? null : (
        <Deliveries
          api={api}
          all={deliveries}
          workspaceId={workspaceId}
          mayManage={mayManage}
          now={now}
          attempt={attempt}
        />
      )}
      {cursor === null ? null : <Button act={attempt(more)}>Show more</Button>}
    </>
  )
}

function merged(first: readonly Delivery[], second: readonly Delivery[]): Delivery[] {
  const known = new Set(first.map(({ id }) => id))
  return [...first, ...second.filter(({ id }) => !known.has(id))]
}

interface DeliveriesProps {
  readonly api: Api
  readonly all: readonly Delivery[]
  readonly workspaceId: string
  readonly mayManage: boolean
  readonly now: number
  attempt(act: () => Promise<unknown>): () => Promise<void>
}

const LOOKS = {
  pending: ['wait', 'clock', 'Pending'],
  delivered: ['good', 'check', 'Delivered'],
  failed: ['bad', 'cross', 'Failed'],
  skipped: ['plain', 'cross', 'Skipped'],
} as const

const Deliveries = ({ api, all, workspaceId, mayManage, now, attempt }: DeliveriesProps) => (
  <Table
    label="Deliveries"
    caption="Deliveries, newest first"
    rows={all}
    keyOf={({ id }) => id}
    columns={[
      {
        head: 'Event',
        cell: ({ type, task_id: taskId, message_id: messageId }) => (
          <>
            {type}
            {taskId === null ? null : (
              <>
                {' · '}
                <a href={`/dashboard/tasks/${taskId}?workspace=${workspaceId}`}>View task</a>
              </>
            )}
            <br />
            <code class="quiet">{messageId}</code>
          </>
        ),
      },
      {
        head: 'Status',
        bare: true,
        cell: ({ status, next_attempt_at: next }) => {
          const [tone, icon, words] = LOOKS[status]
          return (
            <>
              <Badge tone={tone} icon={icon}>
                {words}
              </Badge>
              {next === null ? null : (
                <span class="quiet">
                  {' '}
                  next attempt <Ago at={next} now={now} />
                </span>
              )}
            </>
          )
        },
      },
      { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
      { head: 'Attempts', bare: true, words: true, cell: (delivery) => <Attempts of={delivery} /> },
      {
        head: 'Actions',
        cell: ({ id, message_id: messageId }) =>
          !mayManage ? null : (
            <Button label={`Redeliver ${messageId}`} act={attempt(() => api.webhooks.redeliver(id))}>
              Redeliver
            </Button>
          ),
      },
    ]}
  />
)

const Attempts = ({ of: { attempts } }: { readonly of: Delivery }) =>
  attempts.length === 0 ? (
    <span class="quiet">none</span>
  ) : (
    <ul class="plain-list">
      {attempts.map(({ at, status, reason, duration_ms: ms, answer }) => (
        <li key={at}>
          <p class="facts">
            <Badge
              tone={status !== null && status < 300 ? 'good' : 'bad'}
              icon={status !== null && status < 300 ? 'check' : 'cross'}
            >
              {status ?? reason ?? 'no answer'}
            </Badge>
            <span class="quiet">
              after {span(ms)}, {localTime(at)}
            </span>
          </p>
          {answer === '' ? null : (
            <details>
              <summary>Answer</summary>
              <Pre label="Answer">{answer}</Pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
