import { randomUUID } from 'node:crypto'
import type { Store } from '../../../actors/ports.ts'
import { DAY_MS } from '../../../machines/limits.ts'
import type { TaskRecord } from '../../../machines/records.ts'
import { systemClock } from '../../../src/clock.ts'
import { hashToken, newToken } from '../../../src/tokens.ts'
import { makeKey } from '../../../src/workspaces.ts'
import { taskOf } from './jobs.ts'

/** A paired browser as the load generator knows it. */
export interface Seat {
  readonly workspaceId: string
  readonly key: string
  readonly sessionId: string
  readonly token: string
}

const AT_ONCE = 500
const ids = { uuid: () => randomUUID() as string }

/** Makes workspaces with a key and so many paired browsers each, directly in the store. */
export async function seedSeats(store: Store, workspaces: number, sessionsEach: number): Promise<Seat[]> {
  const seats: Seat[] = []
  await inBites(workspaces, async () => {
    const workspaceId = ids.uuid()
    const at = Date.now()
    await store.workspaces.insert({ id: workspaceId, name: workspaceId, plan: 'free', members: [], createdAt: at })
    const { key, record } = await makeKey(store, { workspaceId, name: 'bench', type: 'secret' }, systemClock, ids)
    await inBites(sessionsEach, async () => {
      const token = newToken('session')
      const sessionId = ids.uuid()
      await store.sessions.insert({
        id: sessionId,
        workspaceId,
        keyId: record.id,
        label: null,
        externalUserId: null,
        tokenHash: hashToken(token),
        createdAt: at,
        connectedAt: null,
        lastHeartbeat: null,
        expiresAt: at + DAY_MS,
        tabId: null,
        windowId: null,
      })
      seats.push({ workspaceId, key, sessionId, token })
    })
  })
  return seats
}

/** Puts so many finished tasks into the store, spread over workspaces that have no other. */
export async function seedFinished(store: Store, tasks: number): Promise<void> {
  const now = Date.now()
  const perWorkspace = 100
  let workspaceId = ids.uuid()
  for (let made = 0; made < tasks; made += perWorkspace) {
    workspaceId = ids.uuid()
    await store.commit(
      Array.from({ length: Math.min(perWorkspace, tasks - made) }, (_, n) => ({
        kind: 'task.insert' as const,
        record: finished(workspaceId, now - (made + n) * 10),
      })),
    )
  }
}

function finished(workspaceId: string, createdAt: number): TaskRecord {
  const browserSessionId = workspaceId
  return {
    id: ids.uuid(),
    workspaceId,
    apiKeyId: workspaceId,
    door: 'http',
    requestId: null,
    task: taskOf(browserSessionId, 10),
    url: null,
    context: null,
    browserSessionId,
    webhookUrl: null,
    status: 'complete',
    answer: 'The prices are read.',
    steps: 11,
    usage: { inputTokens: 11_000, outputTokens: 220, apiCalls: 11 },
    failure: null,
    endedBy: 'completed',
    createdAt,
    deadlineAt: createdAt + DAY_MS,
    completedAt: createdAt + 1,
  }
}

/** So many pieces of work, a bounded number at a time. */
export async function inBites(count: number, work: (n: number) => Promise<unknown>, atOnce = AT_ONCE): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, n) => work(from + n)))
  }
}
