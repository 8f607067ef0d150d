import type { Delivery, Endpoint } from '../../../wire/webhooks.ts'
import { type Api, messageOf } from '../api.ts'
import { count, localTime, spaced } from '../format.ts'
import { Loading } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'

type Found = readonly { readonly endpoint: Endpoint; readonly delivery: Delivery }[]

interface WebhookDeliveriesProps {
  readonly api: Api
  readonly taskId: string
  readonly workspaceId: string
}

/** What was sent of this task to the webhook endpoints of the workspace; read when it is opened. */
export function WebhookDeliveries(props: WebhookDeliveriesProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Webhook deliveries</summary>
      {isOpen ? <DeliveryList {...props} /> : null}
    </details>
  )
}

/** The same, read as soon as it is there. */
export function DeliveryList({ api, taskId, workspaceId }: WebhookDeliveriesProps) {
  const [found, setFound] = useState<Found | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  useEffect(() => {
    const read = async () => {
      const lists = await Promise.all(
        (await api.webhooks.list()).map(async (endpoint) => {
          const of = { path: { id: endpoint.id }, query: { task_id: taskId } }
          const { data } = await api.request('GET /v1/webhook-endpoints/{id}/deliveries', of)
          return data.map((delivery) => ({ endpoint, delivery }))
        }),
      )
      setFound(lists.flat())
    }
    read().catch((error) => setFailed(messageOf(error)))
  }, [api, taskId])
  if (found === null) return <Loading failed={failed} />
  if (found.length === 0) return <p class="empty">Nothing was sent to a webhook endpoint about this task.</p>
  return (
    <ul class="plain-list deliveries">
      {found.map(({ endpoint, delivery }) => (
        <li key={delivery.id}>
          <a href={`/dashboard/webhooks/${endpoint.id}?workspace=${workspaceId}&task=${taskId}`}>{endpoint.url}</a>{' '}
          <code>{delivery.type}</code> {spaced(delivery.status)}, {count(delivery.attempts.length, 'attempt')},{' '}
          {localTime(delivery.created_at)}
          <LastAnswer {...delivery} />
        </li>
      ))}
    </ul>
  )
}

/** What the endpoint answered to the last attempt. */
function LastAnswer({ attempts }: Pick<Delivery, 'attempts'>) {
  const last = attempts.at(-1)
  if (!last) return null
  return (
    <span>
      : <strong>{last.status ?? last.reason ?? 'no answer'}</strong> {last.answer}
    </span>
  )
}
