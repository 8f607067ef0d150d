import type { UsageTotal } from '../../../actors/runtime/ports.ts'
import { isUuid } from '../../../machines/uuid.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { Response } from '../../net/transport.ts'
import {
  Credits,
  EventReceived,
  type USAGE_DIMENSIONS,
  type UsageGroup,
  UsageQuery,
  UsageSummary,
} from '../../wire/account.ts'
import { errorBody, UnhandledEventBody } from '../../wire/errors.ts'
import { ChangeLimitsBody, Limits, limitsJson, loweredLimits } from '../../wire/workspace-limits.ts'
import type { HttpDeps, PaymentEvent, Prices } from '../deps.ts'
import { badField, refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, publicRoute, type Route } from '../route.ts'

const tag = 'Usage and billing'
/** Floating sums of prices end in noise: a cost is given to this many places. */
const USD_PLACES = 10

/** [B5–B11, B14, B15] What was used, what is left, and what was paid for. */
export const billingRoutes = (deps: HttpDeps): readonly Route[] => [
  keyRoute({
    method: 'GET',
    path: '/v1/usage',
    action: 'access usage data',
    query: UsageQuery,
    about: { summary: 'Get usage', tag, answers: { 200: UsageSummary } },
    run: async ({ principal: { workspaceId }, query: { since, group_by: groupBy } }) => {
      const by = (groupBy?.split(',') ?? []) as Dimension[]
      const parts = by.filter((dimension) => dimension === 'key' || dimension === 'outcome')
      const totals = await deps.store.usage.totals(workspaceId, since, parts)
      const summary = summaryOf(totals, deps.prices)
      return json(
        200,
        by.length === 0 ? summary : { ...summary, groups: groupsOf(totals, by, workspaceId, deps.prices) },
      )
    },
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/limits',
    action: 'access usage data',
    about: { summary: 'Get limits', tag, answers: { 200: Limits } },
    run: async ({ principal: { workspaceId } }) =>
      limitsAnswer(deps, workspaceId, await deps.store.limits.get(workspaceId)),
  }),
  keyRoute({
    method: 'PATCH',
    path: '/v1/limits',
    action: 'change limits',
    body: ChangeLimitsBody,
    about: {
      summary: 'Update limits',
      tag,
      answers: { 200: Limits },
      errors: { 400: ['limit_not_allowed'] },
    },
    run: async ({ principal: { workspaceId }, body }) => {
      const set = await deps.store.limits.get(workspaceId)
      const own = loweredLimits(set, body)
      if ('wrong' in own) return badField('limit_not_allowed', own.wrong, [own.limit])
      await deps.store.limits.putOwn(workspaceId, own)
      return limitsAnswer(deps, workspaceId, { ...set, own })
    },
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/billing/credits',
    action: 'access billing data',
    about: { summary: 'Get credits', tag, answers: { 200: Credits } },
    run: async ({ principal }) => {
      const { freeRemaining, creditBalance } = await deps.taskService.allowance(principal.workspaceId)
      const credits: Credits = {
        free_remaining: freeRemaining,
        credit_balance: creditBalance,
        free_tasks_per_month: deps.billing?.freePerMonth ?? null,
      }
      return json(200, credits)
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/v1/billing/webhook',
    body: 'raw',
    about: {
      summary: 'Receive a payment event',
      tag,
      answers: { 200: EventReceived, 400: UnhandledEventBody },
      errors: { 400: ['payment_signature_required', 'event_not_handled'], 503: ['billing_not_configured'] },
    },
    run: async ({ request }) => {
      if (deps.billing === null) return refuse('billing_not_configured')
      const signature = request.headers['payment-signature']
      if (signature === undefined || signature === '') return refuse('payment_signature_required')
      return await applied(deps, deps.billing.verify(request.body, signature))
    },
  }),
]

/** [O14] What is in force, and how much of it is used. */
async function limitsAnswer({ taskService, clock }: HttpDeps, workspaceId: string, set: SetLimits): Promise<Response> {
  const [left, sessions] = await Promise.all([
    taskService.limitsLeft(workspaceId),
    taskService.sessions(workspaceId, null),
  ])
  const used = {
    starts_per_minute: Math.max(0, left.startsPerMinute - left.starts),
    running_tasks: Math.max(0, left.runningTasks - left.slots),
    browser_sessions: sessions.filter(({ expiresAt }) => expiresAt > clock.now()).length,
  }
  return json(200, limitsJson(set, used))
}

/** [B8–B11] An event is credited once by its own id, and is handled however often it comes. */
async function applied({ store, log, audit }: HttpDeps, event: PaymentEvent): Promise<Response> {
  if (event.kind === 'unhandled') return unhandled(event.event, event.reason)
  if (event.kind === 'noted') {
    log.info({ event: event.event }, event.reason)
    return json(200, { received: true, event: event.event } satisfies EventReceived)
  }
  const { id: eventId, workspaceId, credits } = event
  if (!isUuid(workspaceId) || (await store.workspaces.get(workspaceId)) === null) {
    log.error({ eventId, workspaceId, credits }, 'credits were paid for a workspace that does not exist')
    return unhandled(event.event, 'metadata.workspace_id names no workspace.')
  }
  const result = await store.ledger.credit({ eventId, workspaceId, credits })
  log.info({ eventId, workspaceId, credits, result }, 'a payment event arrived')
  const actor = { kind: 'provider', id: null, name: 'payment provider', role: null } as const
  if (result === 'applied')
    audit?.note({ workspaceId, action: 'receivePaymentEvent', actor, resource: eventId, details: { credits } })
  return json(200, { received: true, event: event.event } satisfies EventReceived)
}

const unhandled = (event: string | null, error: string): Response =>
  json(400, { ...errorBody('event_not_handled', error), received: false, event })

type Dimension = (typeof USAGE_DIMENSIONS)[number]

/** [B14] What was used, by what is asked for, in the order of days and models. */
function groupsOf(
  totals: readonly UsageTotal[],
  by: readonly Dimension[],
  workspaceId: string,
  prices: Prices,
): UsageGroup[] {
  const groups = new Map<string, UsageGroup>()
  for (const total of totals) {
    const own = {
      ...(by.includes('day') ? { day: new Date(total.day).toISOString().slice(0, 10) } : {}),
      ...(by.includes('model') ? { model: total.model } : {}),
      // A task that no key started is billed to its workspace.
      ...(by.includes('key') ? { key_id: total.keyId === workspaceId ? null : (total.keyId ?? null) } : {}),
      ...(by.includes('outcome') ? { outcome: total.outcome ?? null } : {}),
    }
    const key = JSON.stringify(own)
    const before = groups.get(key) ?? NOTHING_USED
    const cost = prices.costUsd(total.model, total)
    groups.set(key, {
      ...own,
      tasks: before.tasks + total.tasks,
      api_calls: before.api_calls + total.apiCalls,
      input_tokens: before.input_tokens + total.inputTokens,
      cached_tokens: before.cached_tokens + (total.cachedTokens ?? 0),
      output_tokens: before.output_tokens + total.outputTokens,
      cost_usd: cost === null ? before.cost_usd : rounded((before.cost_usd ?? 0) + cost),
    })
  }
  return [...groups.values()]
}
const NOTHING_USED: UsageGroup = {
  tasks: 0,
  api_calls: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost_usd: null,
}
const rounded = (usd: number): number => Number(usd.toFixed(USD_PLACES))

function summaryOf(totals: readonly UsageTotal[], prices: Prices): UsageSummary {
  let [totalInputTokens, totalOutputTokens, totalApiCalls, cost, taskCount] = [0, 0, 0, 0, 0]
  const unpriced = new Set<string>()
  let priced = totals.length === 0
  for (const total of totals) {
    totalInputTokens += total.inputTokens
    totalOutputTokens += total.outputTokens
    totalApiCalls += total.apiCalls
    taskCount += total.tasks
    const own = prices.costUsd(total.model, total)
    priced ||= own !== null
    cost += own ?? 0
    if (own === null) unpriced.add(total.model)
  }
  // An unknown price is not zero: without any price the total is null, and models without one are listed.
  const totalCostUsd = priced ? rounded(cost) : null
  const summary = { totalInputTokens, totalOutputTokens, totalApiCalls, totalCostUsd, taskCount }
  return unpriced.size === 0 ? summary : { ...summary, unpricedModels: [...unpriced] }
}
