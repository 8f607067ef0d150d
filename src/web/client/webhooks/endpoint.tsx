import type { Delivery, Endpoint } from '../../../wire/webhooks.ts'
import { type Api, messageOf, openApi } from '../api.ts'
import { Filters } from '../filters.tsx'
import { localTime, span } from '../format.ts'
import { Icon } from '../icons.tsx'
import { Table } from '../table.tsx'
import { Ago, Badge, Button, CopyButton, Failure, Menu, Pre, Select, TitleActions, useNow } from '../ui.tsx'
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
      <TitleActions>
        {mayManage ? <Button act={attempt(() => api.webhooks.test(endpointId))}>Send test</Button> : null}
        {mayManage ? (
          <Menu
            of={endpoint.url}
            items={[{ words: 'Resend all failed', act: attempt(() => api.webhooks.recover(endpointId, 0)) }]}
          />
        ) : null}
      </TitleActions>
      <Failure message={failed} />
      <Filters
        chosen={chosen.length}
        chips={chosen.map((name) => ({
          words: `${name === 'task' ? 'Task' : 'Status'}: ${query[name]}`,
          remove: () => narrow({ [name]: '' }),
        }))}
        before={
          <div class="facts">
            <EndpointState {...endpoint} now={now} />
            <span class="quiet words">{endpoint.url}</span>
          </div>
        }
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
            <small class="copied">
              <CopyButton text={messageId}>{messageId.slice(0, SHORT_ID_CHARS)}…</CopyButton>
            </small>
          </>
        ),
      },
      {
        head: 'Status',
        bare: true,
        cell: ({ status, attempts, next_attempt_at: next }) => {
          const [tone, icon, words] = LOOKS[status]
          return (
            <>
              <Badge tone={tone} icon={icon}>
                {words}
              </Badge>
              {next === null ? null : (
                <small class="quiet">
                  {next > now ? (
                    <>
                      Next attempt <Ago at={next} now={now} />
                    </>
                  ) : attempts.length === 0 ? (
                    'Sending now'
                  ) : (
                    'Retrying now'
                  )}
                </small>
              )}
            </>
          )
        },
      },
      { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
      { head: 'Attempts', bare: true, words: true, cell: (delivery) => <Attempts of={delivery} /> },
      {
        head: 'Actions',
        cell: ({ id, status, message_id: messageId }) => {
          const act = attempt(() => api.webhooks.redeliver(id))
          return !mayManage ? null : status === 'delivered' ? (
            <Menu of={messageId} items={[{ words: 'Redeliver', act }]} />
          ) : (
            <Button label={`Redeliver ${messageId}`} act={act}>
              Redeliver
            </Button>
          )
        },
      },
    ]}
  />
)

const SHORT_ID_CHARS = 12

/** Each attempt in one line; what was answered is below it. */
const Attempts = ({ of: { attempts } }: { readonly of: Delivery }) =>
  attempts.length === 0 ? (
    <span class="quiet">No attempt yet</span>
  ) : (
    <ol class="attempts">
      {attempts.map((attempt, index) => (
        <li key={attempt.at}>
          {attempt.answer === '' ? (
            <p>
              <AttemptLine number={index + 1} {...attempt} />
            </p>
          ) : (
            <details>
              <summary>
                <AttemptLine number={index + 1} {...attempt} />
                <span class="hidden">Answer</span>
                <Icon name="right" />
              </summary>
              <Pre label="Answer">{attempt.answer}</Pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  )

const AttemptLine = ({
  number,
  at,
  status,
  reason,
  duration_ms: ms,
}: Delivery['attempts'][number] & { readonly number: number }) => {
  const isTaken = status !== null && status < 300
  return (
    <>
      <span class="quiet">#{number}</span>
      <span>
        <Badge tone={isTaken ? 'good' : 'bad'} icon={isTaken ? 'check' : 'cross'}>
          {status ?? reason ?? 'no answer'}
        </Badge>
      </span>
      <span class="quiet number">{span(ms)}</span>
      <time class="quiet" dateTime={new Date(at).toISOString()} title={localTime(at)}>
        {new Date(at).toLocaleTimeString('en-GB')}
      </time>
    </>
  )
}
