import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { EndpointsPort } from '../../http/deps.ts'
import type { Response } from '../../http/transport.ts'
import { isUuid } from '../../wire/fields.ts'
import { parseBody } from '../../wire/parse.ts'
import { CreateEndpointBody } from '../../wire/webhooks.ts'
import { redirect } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { endpointPage, webhooks } from './webhooks.ts'

interface Submitted {
  readonly viewer: Viewer
  readonly workspace: WorkspaceRecord
  readonly form: URLSearchParams
}
interface Deps {
  readonly endpoints: EndpointsPort
}

const FAILED = {
  secrets_not_configured: 'Secrets cannot be kept: the operator has to set SECRETS_KEY.',
  too_many_endpoints: 'This workspace has reached its limit of 20 webhook endpoints. Delete one first.',
  endpoint_disabled: 'The endpoint is disabled. Enable it first.',
} as const

/** What the forms on the webhook pages do, by the path under `/dashboard/webhooks`. */
export function webhookForms(
  deps: Deps,
): Record<string, (submitted: Submitted, id?: string) => Promise<Response | null>> {
  const { endpoints } = deps
  const back = ({ workspace }: Submitted, id = '') =>
    redirect(`/dashboard/webhooks${id === '' ? '' : `/${id}`}?workspace=${workspace.id}`, 303)
  const setDisabled =
    (disabled: boolean) =>
    async (submitted: Submitted, id = '') => {
      if (!isUuid(id)) return null
      const changed = await endpoints.update(submitted.workspace.id, id, { disabled })
      return changed && back(submitted)
    }
  return {
    '': async ({ viewer, workspace, form }) => {
      const asked = { url: form.get('url') ?? '', description: form.get('description') || null }
      const parsed = parseBody(CreateEndpointBody, asked)
      if (!parsed.ok) return webhooks(viewer, workspace, deps, { failed: parsed.message })
      const { url, types, description } = parsed.value
      const made = await endpoints.create(workspace.id, { url, types: types ?? [], description })
      const said = typeof made === 'string' ? { failed: FAILED[made] } : { secret: made.secret }
      return webhooks(viewer, workspace, deps, said)
    },
    '/:id/rotate': async ({ viewer, workspace }, id = '') => {
      const made = isUuid(id) ? await endpoints.rotate(workspace.id, id) : null
      if (made === null) return null
      const said = typeof made === 'string' ? { failed: FAILED[made] } : { secret: made.secret }
      return webhooks(viewer, workspace, deps, said)
    },
    '/:id/test': async (submitted, id = '') => {
      const sent = isUuid(id) ? await endpoints.test(submitted.workspace.id, id) : null
      return sent && back(submitted, id)
    },
    '/:id/recover': async (submitted, id = '') => {
      const { viewer, workspace } = submitted
      const recovered = isUuid(id) ? await endpoints.recover(workspace.id, id, 0) : null
      if (typeof recovered === 'string') return endpointPage(viewer, workspace, id, deps, { failed: FAILED[recovered] })
      return recovered === null ? null : back(submitted, id)
    },
    '/:id/enable': setDisabled(false),
    '/:id/disable': setDisabled(true),
    '/:id/remove': async (submitted, id = '') => {
      if (!isUuid(id)) return null
      await endpoints.remove(submitted.workspace.id, id)
      return back(submitted)
    },
    '/deliveries/:id/redeliver': async (submitted, id = '') => {
      const { viewer, workspace } = submitted
      const delivery = isUuid(id) ? await endpoints.delivery(workspace.id, id) : null
      if (!delivery) return null
      const sent = await endpoints.redeliver(workspace.id, id)
      return sent === 'endpoint_disabled'
        ? endpointPage(viewer, workspace, delivery.endpointId, deps, { failed: FAILED[sent] })
        : back(submitted, delivery.endpointId)
    },
  }
}
