import type { Log, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { Accounts, Answered } from '../api/deps.ts'
import type { PageSessions } from '../identity/key-sign-in.ts'

const SIGN_IN = /\/sign-(?:in|up)\/email$/

/**
 * [O4] Writes a line for what clients and people do with the service: keys, pairings, sign-ins, requests. Lines have ids and
 * never a secret, an address of a page, or the text of a task. The actors write those for tasks.
 */
export function createActivityLog(log: Log) {
  return {
    store<S extends Pick<Store, 'keys' | 'pairings' | 'sessions'>>(store: S): S {
      const { keys, pairings, sessions } = store
      return {
        ...store,
        keys: {
          ...keys,
          async insert(record) {
            await keys.insert(record)
            const { id: keyId, workspaceId, type } = record
            log.info({ keyId, workspaceId, type }, 'A key was created')
          },
          async remove(workspaceId, keyId) {
            const removed = await keys.remove(workspaceId, keyId)
            if (removed) log.info({ keyId, workspaceId }, 'A key was deleted')
            return removed
          },
        },
        pairings: {
          ...pairings,
          async insert(record) {
            await pairings.insert(record)
            const { workspaceId, keyId, expiresAt } = record
            log.info({ workspaceId, keyId, expiresAt }, 'A pairing link was created')
          },
        },
        sessions: {
          ...sessions,
          async insert(record) {
            await sessions.insert(record)
            const { id: sessionId, workspaceId, keyId } = record
            log.info({ sessionId, workspaceId, keyId }, 'A browser was paired')
          },
        },
      }
    },

    taskService: (service: TaskService): TaskService => ({
      ...service,
      async removeSession(workspaceId, keyId, sessionId) {
        const removed = await service.removeSession(workspaceId, keyId, sessionId)
        if (removed) log.info({ sessionId, workspaceId }, 'A browser session was removed')
        return removed
      },
    }),

    accounts: (accounts: Accounts | null): Accounts | null =>
      accounts && {
        ...accounts,
        async handle(request, isInvited) {
          const answer = await accounts.handle(request, isInvited)
          const { status } = answer
          if (SIGN_IN.test(request.path) && request.method === 'POST' && status >= 400)
            log.warn({ status }, 'A sign-in was refused')
          return answer
        },
      },

    pageSessions: (sessions: PageSessions): PageSessions => ({
      ...sessions,
      async open(session) {
        const value = await sessions.open(session)
        log.info({ kind: session.kind }, 'Signed in to the pages with a key')
        return value
      },
    }),

    request({ requestId, method, route, status, ms, workspaceId, keyId }: Answered): void {
      const level = status >= 500 ? 'error' : 'info'
      log[level]({ request_id: requestId, method, route, status, ms, workspaceId, keyId }, 'A request was answered')
    },
  }
}
