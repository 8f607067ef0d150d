import * as v from 'valibot'
import { count, integer } from './fields.ts'

export const USAGE_DIMENSIONS = ['day', 'model', 'key', 'outcome'] as const
const dimensions = `(?:${USAGE_DIMENSIONS.join('|')})`

/** [B14] */
export const UsageQuery = v.object({
  since: v.optional(integer(0, Number.MAX_SAFE_INTEGER), 0),
  /** What `groups` are told apart by: `day`, `model`, `key`, `outcome`, or several of them with commas between. */
  group_by: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^${dimensions}(?:,${dimensions})*$`),
        `must be ${USAGE_DIMENSIONS.join(', ')}, or several of them with commas between`,
      ),
    ),
  ),
})

/** [B14] What one day, model, key or outcome used; it has the fields that `group_by` names. */
export const UsageGroup = v.object({
  /** A day of UTC: `2026-02-03`. */
  day: v.optional(v.string()),
  model: v.optional(v.string()),
  /** `null`: no key of the workspace, such as a person who is signed in. */
  key_id: v.optional(v.nullable(v.string())),
  /** `null`: not known, as for what an earlier version recorded, and for a browser's own model requests. */
  outcome: v.optional(v.nullable(v.picklist(['complete', 'error']))),
  tasks: count,
  api_calls: count,
  input_tokens: count,
  /** Of the input tokens, those that the provider read from its prompt cache. */
  cached_tokens: count,
  output_tokens: count,
  /** Of the models that have a price; `null` when none has. */
  cost_usd: v.nullable(v.number()),
})
export type UsageGroup = v.InferOutput<typeof UsageGroup>

export const UsageSummary = v.object({
  totalInputTokens: count,
  totalOutputTokens: count,
  totalApiCalls: count,
  totalCostUsd: v.nullable(v.number()),
  /** Models without a known price: their cost is not in the total. */
  unpricedModels: v.optional(v.array(v.string())),
  taskCount: count,
  /** With `group_by`: the same by day, model, key or outcome. */
  groups: v.optional(v.array(UsageGroup)),
})
export type UsageSummary = v.InferOutput<typeof UsageSummary>

/** [B5] Without billing, what is free has no number. */
export const Credits = v.object({
  free_remaining: v.nullable(v.number()),
  credit_balance: v.number(),
  free_tasks_per_month: v.nullable(v.number()),
})
export type Credits = v.InferOutput<typeof Credits>

/** [B8] */
export const EventReceived = v.object({ received: v.literal(true), event: v.string() })
export type EventReceived = v.InferOutput<typeof EventReceived>

/** [A19] */
export const Me = v.object({
  /** `null` for a key, which belongs to no user. */
  user: v.nullable(v.object({ name: v.string(), email: v.string() })),
  workspace: v.object({ id: v.string(), name: v.string(), plan: v.string() }),
})
export type Me = v.InferOutput<typeof Me>

/** [A20] */
export const DebugCookies = v.object({ cookieNames: v.array(v.string()), rawCookieHeader: v.string() })
export type DebugCookies = v.InferOutput<typeof DebugCookies>

/** [H1] */
export const Health = v.object({
  status: v.picklist(['ok', 'degraded']),
  /** Why it is degraded, in one sentence. */
  reason: v.optional(v.string()),
  version: v.string(),
  uptime_seconds: count,
  store_type: v.picklist(['mongodb', 'file']),
  relay_connected: v.boolean(),
  database_connected: v.boolean(),
  active_tasks: count,
  pending_tool_executions: count,
  /** [M8] Of a node among several: what it and the others own. */
  cluster: v.optional(
    v.object({
      node: v.string(),
      /** Whether it reaches the other nodes. */
      connected: v.boolean(),
      owns: count,
      shards: count,
      nodes: v.array(v.object({ id: v.string(), owns: count })),
    }),
  ),
})
export type Health = v.InferOutput<typeof Health>

/** A request without fields of its own. */
export const NoFields = v.strictObject({})
