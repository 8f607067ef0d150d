import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { DeliveryRecord, EndpointRecord } from '../../machines/webhook-records.ts'
import type { EndpointFields, EndpointsPort } from '../api/deps.ts'
import { Queues } from '../config/queues.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import { ENDPOINTS_PER_WORKSPACE_MAX, FORMER_SECRETS_MAX, RECOVERED_AT_ONCE_MAX, SECRET_ROTATION_MS } from './limits.ts'
import { newEndpointSecret } from './signature.ts'

interface Parts {
  readonly store: Pick<Store, 'endpoints' | 'deliveries'>
  readonly taskService: Pick<TaskService, 'testEndpoint' | 'redeliver' | 'eventPosition' | 'serveEndpoints'>
  /** `null`: no key is set for it, and none can be made. */
  readonly box: SecretBox | null
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
}

/** [W10–W17] What a workspace does with its endpoints. Another workspace's are not found. */
export function createEndpoints({ store, taskService, box, clock, ids }: Parts): EndpointsPort {
  const own = async (workspaceId: string, id: string): Promise<EndpointRecord | null> => {
    const record = await store.endpoints.get(id)
    return record?.workspaceId === workspaceId ? record : null
  }
  const ownDelivery = async (workspaceId: string, id: string): Promise<DeliveryRecord | null> => {
    const record = await store.deliveries.get(id)
    return record?.workspaceId === workspaceId ? record : null
  }
  // One after the other: those that come at once count the same.
  const creating = new Queues(1)
  const create: EndpointsPort['create'] = async (workspaceId, { url, types, description }) => {
    if (box === null) return 'secrets_not_configured'
    if ((await store.endpoints.list(workspaceId)).length >= ENDPOINTS_PER_WORKSPACE_MAX) return 'too_many_endpoints'
    const id = ids.uuid()
    const secret = newEndpointSecret()
    const endpoint: EndpointRecord = {
      id,
      workspaceId,
      url,
      types,
      description,
      disabled: false,
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      secrets: [{ sealed: box.seal(secret, id), until: null }],
      position: await taskService.eventPosition(workspaceId),
      createdAt: clock.now(),
    }
    await store.endpoints.insert(endpoint)
    await taskService.serveEndpoints(workspaceId)
    return { endpoint, secret }
  }
  return {
    create: (workspaceId, fields) => creating.add(workspaceId, () => create(workspaceId, fields)),
    list: (workspaceId) => store.endpoints.list(workspaceId),
    get: own,
    async update(workspaceId, id, fields) {
      const record = await own(workspaceId, id)
      return record && store.endpoints.update(id, patchOf(record, fields, clock.now()))
    },
    remove: (workspaceId, id) => store.endpoints.remove(workspaceId, id),
    async rotate(workspaceId, id) {
      const record = await own(workspaceId, id)
      if (!record) return null
      if (box === null) return 'secrets_not_configured'
      const now = clock.now()
      const secret = newEndpointSecret()
      const until = now + SECRET_ROTATION_MS
      const former = record.secrets
        .map((each) => ({ ...each, until: each.until ?? until }))
        .filter((each) => each.until > now)
        .slice(0, FORMER_SECRETS_MAX)
      const secrets = [{ sealed: box.seal(secret, id), until: null }, ...former]
      const endpoint = await store.endpoints.update(id, { secrets })
      return endpoint && { endpoint, secret, formerUntil: until }
    },
    async test(workspaceId, id) {
      const record = await own(workspaceId, id)
      return record && taskService.testEndpoint(record)
    },
    async deliveries(workspaceId, id, page) {
      return (await own(workspaceId, id)) && store.deliveries.list({ endpointId: id, ...page })
    },
    delivery: ownDelivery,
    async redeliver(workspaceId, id) {
      const record = await ownDelivery(workspaceId, id)
      if (!record) return null
      return (await taskService.redeliver(record)) ? ((await store.deliveries.get(id)) ?? record) : 'endpoint_disabled'
    },
    async recover(workspaceId, id, since) {
      const endpoint = await own(workspaceId, id)
      if (!endpoint) return null
      if (endpoint.disabled) return 'endpoint_disabled'
      const lost = await lostSince(store.deliveries, id, since)
      for (const record of lost) await taskService.redeliver(record)
      return lost.length
    },
  }
}

/** The oldest of what failed or was skipped since then, oldest first. Pages come newest first: the last ones have them. */
async function lostSince(
  deliveries: Store['deliveries'],
  endpointId: string,
  since: number,
): Promise<readonly DeliveryRecord[]> {
  let lost: readonly DeliveryRecord[] = []
  const limit = RECOVERED_AT_ONCE_MAX
  for (const status of ['failed', 'skipped'] as const) {
    let after: DeliveryRecord | null = null
    for (let more = true; more; ) {
      const page: readonly DeliveryRecord[] = await deliveries.list({ endpointId, status, after, limit })
      const wanted = page.filter(({ createdAt }) => createdAt >= since)
      lost = [...lost, ...wanted].sort((a, b) => a.createdAt - b.createdAt).slice(0, limit)
      after = page.at(-1) ?? null
      more = page.length === limit && wanted.length === limit
    }
  }
  return lost
}

/** Enabling begins anew: what failed before counts no more. */
function patchOf(record: EndpointRecord, fields: EndpointFields, at: number): Partial<EndpointRecord> {
  const { disabled } = fields
  if (disabled === undefined || disabled === record.disabled) return fields
  return disabled
    ? { ...fields, disabledReason: null, disabledAt: at }
    : { ...fields, disabledReason: null, disabledAt: null, failingSince: null }
}
