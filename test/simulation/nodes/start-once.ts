import { OwnerAway } from '../../../actors/cluster/owner-calls.ts'
import { type Clock, type Ids, type Log, type Store, StoreUnwritable } from '../../../actors/runtime/ports.ts'
import type { StartAnswer, StartTask, TaskService } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import type { HttpDeps } from '../../../src/api/deps.ts'
import { createIdempotent } from '../../../src/api/idempotency.ts'
import type { KeyCall } from '../../../src/api/route.ts'
import { startRoutes } from '../../../src/api/routes/task-start.ts'

export interface StartOnceDeps {
  readonly taskService: TaskService
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

/** Of a client that does not close its connection. */
const STAYS = new AbortController().signal

/** [E21, E23] `POST /v1/tasks` with an Idempotency-Key, as the HTTP surface of a node carries it out. */
export function startOnceOf(parts: StartOnceDeps): (key: string, start: StartTask) => Promise<StartAnswer> {
  const checkSchema: HttpDeps['checkSchema'] = async (_, schema) => ({ schema })
  const config = { taskStepsMax: 50 }
  const deps = {
    ...parts,
    config,
    prices: { costUsd: () => null },
    secretBox: null,
    checkSchema,
  } as unknown as HttpDeps
  const idempotent = createIdempotent(deps)
  const route = startRoutes(deps).find(({ path }) => path === '/v1/tasks')
  if (!route) throw new Error('There is no route that starts tasks')
  return async (key, start) => {
    const call = {
      request: {
        headers: { 'idempotency-key': key },
        path: route.path,
        query: '',
        body: new Uint8Array(),
        signal: STAYS,
      },
      ...{ params: [], query: { wait_s: 0 }, body: bodyOf(start), isAllowed: async () => true },
      principal: { workspaceId: start.workspaceId, keyId: 'key', keyName: 'key', actor: 'key', publishable: false },
    } as unknown as Omit<KeyCall, 'claim'>
    const { status, body } = await idempotent(route, call).catch((error: Error) => {
      // Whatever it left is ended, or begins when it is sent again.
      const isUndecided = error instanceof StoreUnwritable || error.message.startsWith('the task service could not')
      throw isUndecided ? new OwnerAway() : error
    })
    const { id, code } = JSON.parse(String(body))
    if (status === 201) return { ok: true, task: { id } } as StartAnswer
    // Another attempt is under way: as a 503, it is sent again in a moment.
    if (status === 409 && code === 'idempotency_in_progress') throw new OwnerAway()
    return { ok: false, refusal: { code } } as StartAnswer
  }
}

/** The body that makes the start, as the parser leaves it. */
function bodyOf({ request, waiting }: StartTask) {
  const none = {
    metadata: null,
    model: null,
    effort: null,
    inputs: null,
    recipe: null,
    max_cost_usd: null,
    ask_user: null,
    allowed_domains: null,
  }
  return {
    ...{ ...none, continue_task_id: null, files: null, secrets: null },
    ...{ task: request.task, url: request.url, context: request.context, webhook_url: request.webhookUrl },
    ...{ browser_session_id: request.browserSessionId, browser: null, approvals: request.approvals ?? null },
    ...{ max_steps: request.maxSteps, max_tokens: request.maxTokens },
    output_schema: request.outputSchema ? JSON.parse(request.outputSchema) : null,
    on_limit: waiting?.onLimit ? 'queue' : null,
    on_away: waiting?.onAway ? 'wait' : null,
    priority: waiting?.priority ?? null,
    queue_ttl_s: waiting ? waiting.queueTtlMs / SECOND_MS : null,
    wait_ttl_s: waiting ? waiting.waitTtlMs / SECOND_MS : null,
  }
}
