import type { Ms } from '../../machines/records.ts'
import type {
  DeliveryPatch,
  DeliveryRecord,
  DeliveryStatus,
  EndpointPatch,
  EndpointRecord,
} from '../../machines/webhook-records.ts'

/** The webhook endpoints of workspaces: few each. */
export interface EndpointStore {
  insert(record: EndpointRecord): Promise<void>
  get(id: string): Promise<EndpointRecord | null>
  /** Those of all workspaces, in no order. */
  all(): AsyncIterable<EndpointRecord>
  /** Oldest first. */
  list(workspaceId: string): Promise<EndpointRecord[]>
  /** Changes what is named; resolves to the record as it is then, `null` when there is none. */
  update(id: string, patch: EndpointPatch): Promise<EndpointRecord | null>
  /** Of this workspace only; false when there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
}

export interface DeliveryPage {
  readonly endpointId: string
  readonly status: DeliveryStatus | null
  /** Of this task's events only. */
  readonly taskId?: string
  /** The last record of the page before: what follows is older, or as old with a smaller id. */
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
}

/** Events on their way to endpoints, and what became of them. */
export interface DeliveryStore {
  /** Inserts unless the endpoint has a delivery of this message; resolves to the record that is kept. */
  add(record: DeliveryRecord): Promise<DeliveryRecord>
  get(id: string): Promise<DeliveryRecord | null>
  /** Changes what is named; a delivery that does not exist stays away. */
  update(id: string, patch: DeliveryPatch): Promise<void>
  /** Newest first (createdAt, then id, descending). */
  list(page: DeliveryPage): Promise<DeliveryRecord[]>
  /** Removes those created before `before`, at most `limit`; resolves to how many. */
  retire(before: Ms, limit: number): Promise<number>
}
