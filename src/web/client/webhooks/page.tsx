import type { Endpoint } from '../../../wire/webhooks.ts'
import { type Api, openApi } from '../api.ts'
import { roughly } from '../format.ts'
import { LongTable } from '../long-table.tsx'
import { Ago, Badge, Button, Empty, Loading, Made, Menu, PageHead, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'
import { EndpointForm } from './form.tsx'

export interface WebhooksPageProps {
  readonly workspaceId: string
  readonly mayManage: boolean
}

/** The webhook endpoints of a workspace, and how they are. */
export function WebhooksPage({ workspaceId, mayManage }: WebhooksPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, read, attempt } = useAnswer(() => api.webhooks.list(), [api])
  const [secret, setSecret] = useState<string | null>(null)
  if (answer === null) return <Loading failed={failed} />
  const endpoints = answer
  const newEndpoint = mayManage ? (
    <EndpointForm
      create={async (fields) => {
        setSecret((await api.webhooks.create(fields)).secret)
        await read()
      }}
    />
  ) : null
  return (
    <>
      <PageHead
        failed={failed}
        docs={['/docs/webhooks', 'How webhooks work']}
        action={endpoints.length === 0 ? null : newEndpoint}
      >
        The service sends what happens to your tasks to your endpoints.
      </PageHead>
      {secret === null ? null : (
        <Made label="The new secret" text={secret}>
          <strong>The endpoint's new secret.</strong> Copy it now: it is not shown again.
        </Made>
      )}
      {endpoints.length === 0 ? (
        <Empty title="No webhook endpoints yet" icon="send">
          <p>
            Instead of asking again and again whether a task has ended, let the service tell your server: it sends a
            signed POST with the event, and tries again when your server does not answer.
          </p>
          <ol>
            <li>
              <p>Create an endpoint.</p>
              {newEndpoint}
            </li>
            <li>Copy its secret: your server checks signatures with it.</li>
            <li>Send a test.</li>
          </ol>
        </Empty>
      ) : (
        <Endpoints
          api={api}
          all={endpoints}
          workspaceId={workspaceId}
          mayManage={mayManage}
          attempt={attempt}
          shows={setSecret}
        />
      )}
    </>
  )
}

interface EndpointsProps {
  readonly api: Api
  readonly all: readonly Endpoint[]
  readonly workspaceId: string
  readonly mayManage: boolean
  attempt(act: () => Promise<unknown>): () => Promise<void>
  shows(secret: string): void
}

function Endpoints({ api, all, workspaceId, mayManage, attempt, shows }: EndpointsProps) {
  const now = useNow(true)
  const pageOf = (id: string) => `/dashboard/webhooks/${id}?workspace=${workspaceId}`
  const rotate = async (id: string) => {
    shows((await api.webhooks.rotate(id)).secret)
  }
  const test = async (id: string) => {
    await api.webhooks.test(id)
    location.assign(pageOf(id))
  }
  return (
    <LongTable
      what="endpoint"
      textOf={({ url, description }) => `${url} ${description ?? ''}`}
      label="Webhook endpoints"
      caption="The webhook endpoints of this workspace, oldest first"
      rows={all}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'URL',
          cell: ({ id, url, description }) => (
            <div>
              <a href={pageOf(id)}>{url}</a> {description ? <p class="quiet">{description}</p> : null}
            </div>
          ),
        },
        { head: 'Status', bare: true, cell: (endpoint) => <EndpointState {...endpoint} now={now} /> },
        { head: 'Events', cell: ({ types }) => (types.length === 0 ? 'all' : types.join(', ')) },
        { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
        {
          head: 'Actions',
          cell: ({ id, url, disabled }) =>
            !mayManage ? null : (
              <>
                <Button label={`Send test to ${url}`} act={attempt(() => test(id))}>
                  Send test
                </Button>
                <Menu
                  of={url}
                  items={[
                    {
                      words: 'New secret',
                      question: `Make a new secret for ${url}? The present one signs beside it for 24 hours, then no more.`,
                      act: attempt(() => rotate(id)),
                    },
                    {
                      words: disabled ? 'Enable' : 'Disable',
                      act: attempt(() => api.webhooks.update(id, { disabled: !disabled })),
                    },
                    {
                      words: 'Delete',
                      ends: true,
                      question: `Delete the endpoint ${url} with the log of its deliveries?`,
                      act: attempt(() => api.webhooks.delete(id)),
                    },
                  ]}
                />
              </>
            ),
        },
      ]}
    />
  )
}

/** [W14] Whether it is sent anything, and why not. */
export function EndpointState(props: Endpoint & { readonly now: number }) {
  const { disabled, disabled_reason: reason, failing_since: since, now } = props
  if (disabled) {
    return (
      <Badge tone="bad" icon="cross">
        {reason === null
          ? 'Disabled'
          : reason === 'gone'
            ? 'Disabled: answered 410 Gone'
            : 'Disabled: failed for 5 days'}
      </Badge>
    )
  }
  if (since !== null) {
    return (
      <span>
        <Badge tone="wait" icon="warning">
          Failing
        </Badge>{' '}
        for {roughly(now - since)}
      </span>
    )
  }
  return (
    <Badge tone="good" icon="check">
      Enabled
    </Badge>
  )
}
