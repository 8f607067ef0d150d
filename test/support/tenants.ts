import { randomUUID } from 'node:crypto'
import type { Model } from '../../actors/runtime/ports.ts'
import { hashToken, keyPrefixOf, newToken } from '../../src/identity/tokens.ts'
import type { Peer } from '../relay/peer.ts'
import { openScene } from '../relay/scene.ts'
import { answer } from './answering.ts'
import { THEN } from './stores.ts'

/** What stands in every record of the workspace that nobody else may touch, and in none of another. */
export const CANARY = 'a canary that sings for its own workspace alone'

/** A task that names the canary thinks for ever; another one is done at once. */
const model: Model = {
  id: 'played',
  provider: 'test',
  async ask({ messages, tools }, signal) {
    if (JSON.stringify(messages[0]).includes('for ever')) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    return answer('Done.', { tools })
  },
}

export interface Tenants {
  readonly scene: Awaited<ReturnType<typeof openScene>>
  /** Everything that could be guessed of the workspace that is not to be touched. */
  readonly victim: {
    readonly workspaceId: string
    readonly sessionId: string
    readonly taskIds: readonly string[]
    readonly keyId: string
    readonly peer: Peer
  }
  /** The workspace of those who send anything. */
  readonly stranger: {
    readonly workspaceId: string
    readonly key: string
    readonly publishable: string
    sessionId: string
  }
  /** A browser of the strangers that is connected. */
  strangerPeer(): Promise<Peer>
  /** All that is kept of the victim, as JSON. */
  kept(): Promise<string>
}

/** Two workspaces on one real taskService: one that works, and one from which anything may come. */
export async function openTenants(): Promise<Tenants> {
  const scene = await openScene(model)
  const { store, workspaceId, actors } = scene
  const key = async (owner: string, type: 'secret' | 'publishable', name: string) => {
    const text = newToken(type)
    const id = randomUUID()
    const record = { id, workspaceId: owner, name, type, createdAt: THEN, lastUsedAt: null }
    await store.keys.insert({ ...record, keyHash: hashToken(text), keyPrefix: keyPrefixOf(text) })
    return { id, text }
  }
  const { id: keyId } = await key(workspaceId, 'secret', CANARY)
  const { peer, record } = await scene.browser({ fields: { label: CANARY, externalUserId: CANARY } })
  const done = await scene.start(record, { task: CANARY, context: CANARY })
  await scene.ended(done)
  const running = await scene.start(record, { task: `${CANARY} for ever`, context: CANARY })
  const stranger = randomUUID()
  await store.workspaces.insert({ id: stranger, name: 'strangers', plan: 'free', members: [], createdAt: THEN })
  const own = await scene.paired({ workspaceId: stranger })
  await actors.taskService.task(workspaceId, running)
  return {
    scene,
    victim: { workspaceId, sessionId: record.id, taskIds: [done, running], keyId, peer },
    stranger: {
      workspaceId: stranger,
      key: (await key(stranger, 'secret', 'a key')).text,
      publishable: (await key(stranger, 'publishable', 'another')).text,
      sessionId: own.record.id,
    },
    strangerPeer: () => scene.register(own.token, { protocol: 2 }),
    async kept() {
      const tasks = await Promise.all([done, running].map((id) => actors.taskService.task(workspaceId, id)))
      const steps = await Promise.all([done, running].map((id) => actors.taskService.steps(workspaceId, id)))
      const page = { workspaceId, status: null, browserSessionId: null, after: null, limit: 100 }
      return JSON.stringify([
        tasks,
        steps,
        await actors.taskService.tasks(page),
        await store.sessions.list(workspaceId, null),
        await store.keys.list(workspaceId),
        await store.usage.totals(workspaceId, 0),
        await store.ledger.get(workspaceId, '2026-11'),
        await store.workspaces.list(),
      ])
    },
  }
}
