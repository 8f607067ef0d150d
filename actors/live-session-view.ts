import { sessionAddress } from '../machines/addresses.ts'
import type { SessionRecord } from '../machines/records.ts'
import type { SessionContext } from '../machines/session.ts'
import { leafOf } from './events/task-events.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { SessionView } from './task-service.ts'

export function sessionView(system: ActorSystem, record: SessionRecord, now: number): SessionView {
  const live = system.registry.snapshot(sessionAddress(record.id))
  const context = live?.context as SessionContext | undefined
  const connected = context?.socket != null
  return {
    ...record,
    // The record is written later, and may fail to be.
    connectedAt: connected ? context.boundAt : record.connectedAt,
    lastHeartbeat: Math.max(record.lastHeartbeat ?? 0, system.heard.get(record.id) ?? 0) || null,
    status: connected ? 'connected' : 'disconnected',
    state: live ? leafOf(live.value) : stateWithoutActor(record, now),
  }
}

function stateWithoutActor(record: SessionRecord, now: number): string {
  if (record.expiresAt <= now) return 'expired'
  return record.connectedAt === null ? 'waiting' : 'disconnected'
}
