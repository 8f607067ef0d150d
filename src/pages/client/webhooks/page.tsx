import type { Endpoint } from '../../../wire/webhooks.ts'
import { type Api, messageOf, openApi } from '../api.ts'
import { Scrolling } from '../markdown.tsx'
import { Ago, Badge, Button, ConfirmButton, Failure, useNow } from '../ui.tsx'
import { useEffect, useMemo, useState } from '../view.ts'
import { EndpointForm, Secret } from './form.tsx'

export interface WebhooksPageProps {
  readonly workspaceId: string
  readonly mayManage: boolean
}

const PATH = '/v1/webhook_endpoints'

/** The webhook endpoints of a workspace, and how they are. */
export function WebhooksPage({ workspaceId, mayManage }: WebhooksPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [endpoints, setEndpoints] = useState<readonly Endpoint[] | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const read = async () => {
    const { webhook_endpoints: all } = await api.get<{ readonly webhook_endpoints: readonly Endpoint[] }>(PATH)
    setEndpoints(all)
  }
  /** Does it, and shows what came of it. */
  const attempt = (act: () => Promise<unknown>) => async () => {
    setFailed(null)
    await act().then(read, (error) => setFailed(messageOf(error)))
  }
  useEffect(() => void attempt(async () => {})(), [api])
  return (
    <>
      <Failure message={failed} />
      {secret === null ? null : <Secret text={secret} />}
      {endpoints === null ? <p class="loading">Loading …</p> : null}
      {endpoints?.length === 0 ? (
        <p class="empty">
          No webhook endpoints yet. The service sends what happens to your tasks to your endpoints.{' '}
          <a href="/docs/webhooks">How webhooks work</a>
        </p>
      ) : null}
      {endpoints && endpoints.length > 0 ? (
        <Endpoints
          api={api}
          all={endpoints}
          workspaceId={workspaceId}
          mayManage={mayManage}
          attempt={attempt}
          shows={setSecret}
        />
      ) : null}
      {!mayManage ? null : (
        <EndpointForm
          create={async (fields) => {
            const made = (await api.post(PATH, fields)) as { readonly secret: string }
            setSecret(made.secret)
            await read()
          }}
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
    const made = (await api.post(`${PATH}/${id}/rotate`)) as { readonly secret: string }
    shows(made.secret)
  }
  const test = async (id: string) => {
    await api.post(`${PATH}/${id}/test`)
    location.assign(pageOf(id))
  }
  return (
    <div class="cards">
      <Scrolling label="Webhook endpoints">
        <table>
          <caption>The webhook endpoints of this workspace, oldest first</caption>
          <thead>
            <tr>
              <th scope="col">URL</th>
              <th scope="col">Status</th>
              <th scope="col">Events</th>
              <th scope="col">Created</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {all.map((endpoint) => {
              const { id, url, types, description, disabled } = endpoint
              return (
                <tr key={id}>
                  <th scope="row" class="words">
                    <div>
                      <a href={pageOf(id)}>{url}</a> {description ? <p class="quiet">{description}</p> : null}
                    </div>
                  </th>
                  <td data-label="Status">
                    <EndpointState {...endpoint} now={now} />
                  </td>
                  <td data-label="Events">{types.length === 0 ? 'all' : types.join(', ')}</td>
                  <td data-label="Created">
                    <Ago at={endpoint.created_at} now={now} />
                  </td>
                  <td>
                    {!mayManage ? null : (
                      <div class="actions">
                        <Button label={`Send test to ${url}`} act={attempt(() => test(id))}>
                          Send test
                        </Button>
                        <ConfirmButton
                          label={`New secret for ${url}`}
                          question={`Make a new secret for ${url}? The present one signs beside it for 24 hours, then no more.`}
                          act={attempt(() => rotate(id))}
                        >
                          New secret
                        </ConfirmButton>
                        <Button
                          label={`${disabled ? 'Enable' : 'Disable'} ${url}`}
                          act={attempt(() => api.patch(`${PATH}/${id}`, { disabled: !disabled }))}
                        >
                          {disabled ? 'Enable' : 'Disable'}
                        </Button>
                        <ConfirmButton
                          kind="danger"
                          label={`Delete ${url}`}
                          question={`Delete the endpoint ${url} with the log of its deliveries?`}
                          act={attempt(() => api.delete(`${PATH}/${id}`))}
                        >
                          Delete
                        </ConfirmButton>
                      </div>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scrolling>
    </div>
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
        since <Ago at={since} now={now} />
      </span>
    )
  }
  return (
    <Badge tone="good" icon="check">
      Enabled
    </Badge>
  )
}
