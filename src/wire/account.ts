import * as v from 'valibot'
import { AT, KEY, TASK, WORKSPACE } from './example-values.ts'
import { count, field, integer } from './fields.ts'

export const USAGE_DIMENSIONS = ['day', 'model', 'key', 'outcome'] as const
const dimensions = `(?:${USAGE_DIMENSIONS.join('|')})`

/** [B14] */
export const UsageQuery = v.object({
  since: field(
    v.optional(integer(0, Number.MAX_SAFE_INTEGER), 0),
    'From this moment on, in milliseconds since 1970.',
    AT,
  ),
  /** What `groups` are told apart by: `day`, `model`, `key`, `outcome`, or several of them with commas between. */
  group_by: field(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(
          new RegExp(`^${dimensions}(?:,${dimensions})*$`),
          `must be ${USAGE_DIMENSIONS.join(', ')}, or several of them with commas between`,
        ),
      ),
    ),
    'What `groups` are told apart by: `day`, `model`, `key`, `outcome`, or several of them with commas between.',
    'day,model',
  ),
})

/** [B14] What one day, model, key or outcome used; it has the fields that `group_by` names. */
export const UsageGroup = v.object({
  /** A day of UTC: `2026-02-03`. */
  day: field(v.optional(v.string()), 'A day of UTC.', '2026-11-20'),
  model: field(v.optional(v.string()), 'The model, one of those that the operator allows.', 'claude-sonnet-4-5'),
  /** `null`: no key of the workspace, such as a person who is signed in. */
  key_id: field(
    v.optional(v.nullable(v.string())),
    'The key that started the tasks; null for none, such as a person who is signed in.',
    KEY,
  ),
  /** `null`: not known, as for what an earlier version recorded, and for a browser's own model requests. */
  outcome: field(
    v.optional(v.nullable(v.picklist(['complete', 'error']))),
    'How the tasks ended; null where it is not known, and for a browser’s own model requests.',
    'complete',
  ),
  tasks: field(count, 'Tasks that ended.', 21),
  api_calls: field(count, 'Calls of models.', 90),
  input_tokens: field(count, 'Tokens that models read.', 120_000),
  /** Of the input tokens, those that the provider read from its prompt cache. */
  cached_tokens: field(count, 'Those of them that were in the provider’s prompt cache.', 80_000),
  output_tokens: field(count, 'Tokens that models wrote.', 8_000),
  /** Of the models that have a price; `null` when none has. */
  cost_usd: field(
    v.nullable(v.number()),
    'What the models with a known price cost, in US dollars; null without one.',
    0.48,
  ),
})
export type UsageGroup = v.InferOutput<typeof UsageGroup>

export const UsageSummary = v.object({
  totalInputTokens: field(count, 'Tokens that models read.', 120_000),
  totalOutputTokens: field(count, 'Tokens that models wrote.', 8_000),
  totalApiCalls: field(count, 'Calls of models.', 90),
  totalCostUsd: field(v.nullable(v.number()), 'What they cost, in US dollars; null without a known price.', 0.48),
  /** Models without a known price: their cost is not in the total. */
  unpricedModels: field(
    v.optional(v.array(v.string())),
    'Models without a known price: their cost is not in the total.',
    ['my-model'],
  ),
  taskCount: field(count, 'Tasks that ended.', 21),
  /** With `group_by`: the same by day, model, key or outcome. */
  groups: field(
    v.optional(v.array(UsageGroup)),
    'With `group_by`: the same by day, model, key or outcome, as far as it names them.',
  ),
})
export type UsageSummary = v.InferOutput<typeof UsageSummary>

/** [B5] Without billing, what is free has no number. */
export const Credits = v.object({
  free_remaining: field(v.nullable(v.number()), 'Free tasks that are left this month; null when tasks are free.', 18),
  credit_balance: field(v.number(), 'Paid tasks that are left.', 0),
  free_tasks_per_month: field(v.nullable(v.number()), 'Free tasks of a month; null when tasks are free.', 20),
})
export type Credits = v.InferOutput<typeof Credits>

/** [B8] */
export const EventReceived = v.object({
  received: field(v.literal(true), 'Whether the event was for this service.'),
  event: field(v.string(), 'The type of the payment event.', 'checkout.session.completed'),
})
export type EventReceived = v.InferOutput<typeof EventReceived>

/** [A19] */
export const Me = v.object({
  /** `null` for a key, which belongs to no user. */
  user: field(
    v.nullable(
      v.object({
        name: field(v.string(), 'Their name.', 'Ann'),
        email: field(v.string(), 'Their e-mail address.', 'ann@example.com'),
      }),
    ),
    'Who is signed in; null for a key.',
    { name: 'Ann', email: 'ann@example.com' },
  ),
  workspace: field(
    v.object({
      id: field(v.string(), 'The id.', TASK),
      name: field(v.string(), 'Its name.', 'Acme'),
      plan: field(v.string(), 'Its plan.', 'free'),
    }),
    'The workspace that requests act on.',
    { id: WORKSPACE, name: 'Acme', plan: 'free' },
  ),
})
export type Me = v.InferOutput<typeof Me>

/** [A20] */
export const DebugCookies = v.object({
  cookieNames: field(v.array(v.string()), 'The names of the cookies that arrived.', ['theme']),
  rawCookieHeader: field(v.string(), 'The header, without the values of our own cookies.', 'theme=dark'),
})
export type DebugCookies = v.InferOutput<typeof DebugCookies>

const owns = field(count, 'How many shards it owns.', 128)
/** [H1] */
export const Health = v.object({
  status: field(v.picklist(['ok', 'degraded']), '`ok` when all parts work.', 'ok'),
  /** Why it is degraded, in one sentence. */
  reason: field(v.optional(v.string()), 'Why it is degraded, in one sentence.', 'The store does not answer.'),
  version: field(v.string(), 'The running build.', '1.0.0'),
  uptime_seconds: field(count, 'Since the process started.', 3600),
  store_type: field(v.picklist(['mongodb', 'file']), 'Where records are kept.', 'file'),
  relay_connected: field(v.boolean(), 'Whether the relay accepts browsers.', true),
  database_connected: field(v.boolean(), 'Whether the store answers.', true),
  active_tasks: field(count, 'Tasks that run now.', 2),
  pending_tool_executions: field(count, 'Tool calls that wait for a browser.', 1),
  /** [M8] Of a node among several: what it and the others own. */
  cluster: field(
    v.optional(
      v.object({
        node: field(v.string(), 'The name of this node.', 'node-1'),
        /** Whether it reaches the other nodes. */
        connected: field(v.boolean(), 'Whether it reaches the other nodes.', true),
        owns,
        shards: field(count, 'How many shards there are.', 256),
        nodes: field(
          v.array(v.object({ id: field(v.string(), 'The id.', TASK), owns })),
          'The nodes, this one included.',
        ),
      }),
    ),
    'Of a node among several: what it and the others own.',
  ),
})
export type Health = v.InferOutput<typeof Health>

/** A request without fields of its own. */
export const NoFields = v.strictObject({})
