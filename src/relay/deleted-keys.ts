import type { Clock, Log, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { KEYS_LOOKED_AT_EVERY_MS } from './limits.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * [S16] Ends the sessions of keys that another process deleted (the command line, another node): the keys of connected
 * browsers are looked up once a second, in one question. Answers the function that stops it.
 */
export function watchKeys(deps: {
  readonly store: { readonly keys: Pick<Store['keys'], 'missing'> }
  readonly taskService: Pick<TaskService, 'removeSession'>
  readonly bySession: ReadonlyMap<string, RelaySocket>
  readonly clock: Clock
  readonly log: Log
}): () => void {
  const { store, taskService, bySession, clock, log } = deps
  let isStopped = false
  let timer: unknown

  async function look(): Promise<void> {
    const sessions = [...bySession.values()].flatMap(({ data }) => data.session ?? [])
    const keyIds = new Set(sessions.flatMap(({ keyId }) => keyId ?? []))
    if (keyIds.size === 0) return
    const missing = new Set(await store.keys.missing([...keyIds]))
    for (const { id, workspaceId, keyId } of sessions) {
      if (keyId === null || !missing.has(keyId)) continue
      log.info({ sessionId: id, keyId }, 'The key that paired this browser was deleted: its session ends')
      await taskService.removeSession(workspaceId, null, id)
    }
  }

  const again = () => {
    if (isStopped) return
    timer = clock.setTimeout(() => {
      look()
        .catch((err) => log.warn({ err }, 'The keys of connected browsers could not be looked up'))
        .finally(again)
    }, KEYS_LOOKED_AT_EVERY_MS)
  }
  again()
  return () => {
    isStopped = true
    clock.clearTimeout(timer)
  }
}
