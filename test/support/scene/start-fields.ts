import type { SealedSecrets, StartReads, Waiting } from '../../../actors/task-service.ts'
import type { Door, TaskRequest } from '../../../machines/records.ts'

export interface StartFields extends Partial<TaskRequest> {
  readonly door?: Door
  readonly requestId?: string
  readonly workspaceId?: string
  readonly apiKeyId?: string
  readonly waiting?: Waiting
  readonly secrets?: SealedSecrets
  readonly fingerprints?: string
  readonly taskId?: string
  readonly reads?: StartReads
}
