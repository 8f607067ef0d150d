import type { Left } from '../../machines/budget.ts'
import { RESERVED_OUTPUT_TOKENS } from '../limits.ts'
import type { Conversation } from './conversation.ts'
import type { Model, ToolSpec } from './model-port.ts'
import { estimatedTokens } from './tokens.ts'

/** The model that a task asked for, where it is still one of those that the operator allows; else the usual one. */
export const chosenModel = (model: Model, id: string | null | undefined): Model =>
  (id && model.choices?.get(id)) || model

/**
 * [L35] What is reserved before a model call: its input as far as it is known, and an ordinary reply. `free`: another
 * call fits behind it. `spent`: not even this one fits. Else it is the last one, and why.
 */
export function reserved(
  { lastStep, lastMinute, tokens, costUsd }: Left,
  conversation: Conversation,
  { system, tools }: { system: string; tools: readonly ToolSpec[] },
  model: Model,
): 'free' | 'spent' | 'steps' | 'time' | 'budget' {
  const counted = conversation.lastReply?.usage
  const fixed = counted?.inputTokens ? 0 : estimatedTokens(system) + estimatedTokens(JSON.stringify(tools))
  const inputTokens = conversation.tokens + fixed
  // Where the provider keeps what it has read, it reads all of the last request from there.
  const isKept = (counted?.cachedTokens ?? 0) + (counted?.cacheWriteTokens ?? 0) > 0
  const cachedTokens = isKept ? Math.min(counted?.inputTokens ?? 0, inputTokens) : 0
  const call = { inputTokens, outputTokens: RESERVED_OUTPUT_TOKENS, cachedTokens }
  const cost = costUsd === null ? 0 : (model.costUsd?.(model.id, call) ?? 0)
  const fits = (calls: number) =>
    (tokens === null || calls * (inputTokens + RESERVED_OUTPUT_TOKENS) <= tokens) &&
    (costUsd === null || calls * cost <= costUsd)
  if (!fits(1)) return 'spent'
  if (lastMinute) return 'time'
  if (lastStep) return 'steps'
  return fits(2) ? 'free' : 'budget'
}
