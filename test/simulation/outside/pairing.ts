import { DAY_MS, MINUTE_MS } from '../../../machines/limits.ts'
import type { SessionRecord } from '../../../machines/records.ts'
import { hashToken } from '../../../src/identity/tokens.ts'
import type { Random } from '../random.ts'

/** A session as pairing makes one, and its token; some end soon. */
export function pair(random: Random, workspaceId: string, createdAt: number): { record: SessionRecord; token: string } {
  const id = random.uuid()
  const token = `svc_sess_${random.hex(64)}`
  const record: SessionRecord = {
    id,
    workspaceId,
    keyId: null,
    label: null,
    externalUserId: null,
    tokenHash: hashToken(token),
    createdAt,
    connectedAt: null,
    lastHeartbeat: null,
    expiresAt: createdAt + (random.chance(0.9) ? 60 * DAY_MS : random.between(0.5, 5) * MINUTE_MS),
    tabId: null,
    windowId: null,
  }
  return { record, token }
}
