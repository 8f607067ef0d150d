import type { Left } from '../../machines/budget.ts'
import { CALLS_PER_REPLY_MAX, MODEL_OUTPUT_TOKENS_MAX } from '../../machines/limits.ts'
import { hasSignIn } from '../../machines/profiles.ts'
import { type JournalCall, type JournalEntry, type Ms, NO_USAGE, withUsage } from '../../machines/records.ts'
import type { AskParams, ModelReply as ModelReplied } from '../../machines/task-types.ts'
import { callsDropped, MODEL_FAILURES, TO_MODEL } from '../../machines/texts.ts'
import { RESERVED_OUTPUT_TOKENS } from '../limits.ts'
import { play } from '../recipes.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import type { Model, ModelReply, Toolbox, ToolSpec } from '../runtime/ports.ts'
import { hasSecrets, redactedReply } from '../secrets.ts'
import { chosenModel } from './chosen-model.ts'
import type { Conversation } from './conversation.ts'
import { groundingOf, UNSOURCED_NAMED_MAX, unsourcedIn } from './grounding.ts'
import { estimatedTokens } from './history.ts'
import { outputIn, outputRequest } from './output-repair.ts'
import { systemPrompt } from './prompt.ts'
import { checkedCalls, checkedOutputs } from './reply-checks.ts'
import { signInReply } from './sign-in-reply.ts'

type Entry = Extract<JournalEntry, { kind: 'reply' }>
/** A reply as the task uses it, whether it is new or from the journal. */
export type Said = Omit<Entry, 'kind' | 'step' | 'at'>
type Replied = Extract<ModelReply, { kind: 'reply' }>

/**
 * One attempt at the model's reply of a step, as an event of the task. A reply that is in the journal is not asked for
 * again.
 */
export async function ask(
  system: ActorSystem,
  { taskId, sessionId, step, attempt, outputOnly, left, withinMs }: AskParams,
  signal: AbortSignal,
) {
  const { clock, tools, model } = system.ports
  const conversation = await system.conversations.of(taskId)
  /** If only the JSON was asked for, calls in the reply are ignored. */
  const event = (said: Said) => (outputOnly ? outputEvent(said) : replyEvent(said, clock.now()))
  const outputEvent = async (said: Said) => {
    const output = await outputIn(said.text, taskId, conversation, tools)
    return { ...replyEvent({ ...said, calls: [] }, clock.now()), output }
  }
  const kept = conversation.replyOf(step)
  if (kept) return event(kept)
  if (conversation.isFull) return { type: 'journal.full', at: clock.now() }
  // A browser that is away keeps its tools, because the provider's cache begins with the first tool.
  const known = system.browserTools.get(sessionId)
  const announced = known === undefined ? (conversation.announced ?? null) : known
  const signIn = signInReply(system, conversation, announced)
  if (signIn) return event(signIn)
  const played = outputOnly ? MODEL : await play(system, conversation, { taskId, step, left, announced })
  if (played.kind === 'stopped') return { type: 'recipe.deviated', deviation: played.deviation, at: clock.now() }
  if (played.kind === 'reply') return event(played.said)
  const answers = played.kind === 'answer'
  if (!answers) conversation.readPlayed()
  const read = conversation.readMessages()
  const all = offeredTools(tools, conversation, announced)
  const specs = answers ? all.filter(({ name }) => name === 'finish') : all
  const asked = {
    model: conversation.model,
    ...(conversation.effort === null ? {} : { effort: conversation.effort }),
    maxTokens: MODEL_OUTPUT_TOKENS_MAX,
    task: { id: taskId, step },
  }
  const prompt = { system: systemPrompt(specs, announced !== null), tools: specs }
  const chosen = chosenModel(model, conversation.model)
  const room = reserved(left, conversation, prompt, chosen)
  if (room === 'spent') return { type: 'budget.spent', at: clock.now() }
  // Only a model that has `finish` can say whether the task is done.
  const hasFinish = !outputOnly && specs.some(({ name }) => name === 'finish')
  const lastCall = hasFinish && room !== 'free'
  const build = () => {
    if (outputOnly) return { ...outputRequest(conversation), ...asked }
    const told = lastCall ? [{ role: 'user' as const, text: TO_MODEL.lastCall(room) }] : []
    // [J11] Of a recipe that was played to its end: the task, and what was read.
    const before = answers
      ? [...conversation.messages, { role: 'user' as const, text: conversation.played(PLAYED_CHARS_MAX) }]
      : conversation.messages
    return { ...prompt, ...asked, messages: [...before, ...told], ...(lastCall ? { mustCall: 'finish' } : {}) }
  }
  const given = await system.models.attemptFitting(build, () => conversation.shrink(), signal, {
    limitMs: withinMs,
    // [X6] The end of an incomplete reply may be the beginning of a secret: such replies are not streamed.
    ...(hasSecrets(conversation) ? {} : { hear: system.events.live.reply(taskId, step) }),
  })
  if (given === 'late') return { type: 'model.timedOut', at: clock.now() }
  const reply = redactedReply(system, taskId, conversation, given)
  if (reply.kind === 'failed') return failureEvent(system, reply, attempt)
  if (hasFinish && reply.calls.length === 0 && reply.text.trim() === '') return failureEvent(system, EMPTY, attempt)
  const { outputSchema } = conversation
  const outputs = outputSchema && (await checkedOutputs(system.ports, reply, taskId, outputSchema))
  return event({
    ...saidIn(reply, chosen),
    ...(lastCall ? { lastCall } : {}),
    ...(hasFinish ? { hasFinish } : {}),
    ...(read === 0 ? {} : { read }),
    announced,
    calls: withUnsourced(checkedCalls(system.ports, reply, conversation, outputs), conversation),
  })
}

/** [L25] With what the answer of a `finish` says and no page did: only that has to be checked. */
const withUnsourced = (calls: readonly JournalCall[], conversation: Conversation): JournalCall[] =>
  calls.map((call) => {
    const { tool, input, refusal } = call
    if (tool !== 'finish' || refusal !== null || input.success !== true) return call
    const { answer, output = null } = input
    const values = groundingOf(output, conversation.entries).ungrounded.map((pointer) => `output${pointer}`)
    const unsourced = [...unsourcedIn(String(answer ?? ''), conversation.entries, conversation.ownWords), ...values]
    return unsourced.length === 0 ? call : { ...call, unsourced: unsourced.slice(0, UNSOURCED_NAMED_MAX) }
  })

const MODEL = { kind: 'model' } as const
/** [J11] How much of its readings a recipe's answer is made of. */
const PLAYED_CHARS_MAX = 12_000

/** [L1] Nothing was said, and nothing was done: no reply can be made of it. */
const EMPTY = {
  kind: 'failed',
  message: MODEL_FAILURES.empty,
  rateLimited: false,
  retryable: true,
  retryAfterMs: null,
} as const

function failureEvent(
  { ports: { clock }, models }: ActorSystem,
  { message, rateLimited, retryable, retryAfterMs }: Extract<ModelReply, { kind: 'failed' }>,
  attempt: number,
) {
  const at = clock.now()
  if (!retryable) return { type: 'model.failed', message, rateLimited, at }
  const retryAt = at + models.waitMs(attempt, retryAfterMs)
  return { type: 'model.failedRetryably', message, rateLimited, retryAt, at }
}

function saidIn(reply: Replied, chosen: Model) {
  const { model, replay } = reply
  const dropped = reply.calls.length - CALLS_PER_REPLY_MAX
  const usage = withUsage(NO_USAGE, { ...reply, apiCalls: 1 })
  // A fallback without a price is priced like the model that it replaces.
  const costUsd = chosen.costUsd?.(model, usage) ?? chosen.costUsd?.(chosen.id, usage) ?? null
  return {
    text: dropped > 0 ? `${reply.text}\n${callsDropped(dropped)}`.trimStart() : reply.text,
    model,
    usage,
    ...(costUsd === null ? {} : { costUsd }),
    ...(replay === undefined ? {} : { replay }),
  }
}

const replyEvent = ({ calls, ...reply }: Said, at: Ms): ModelReplied => {
  const said = { ...reply, at }
  return calls.length > 0 ? { type: 'model.requestedTools', calls, ...said } : { type: 'model.answered', ...said }
}

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

/** The tools of a task in a browser that announced these. */
export const offeredTools = (
  tools: Pick<Toolbox, 'specs'>,
  conversation: Conversation,
  announced: readonly string[] | null,
): readonly ToolSpec[] =>
  tools.specs(announced, conversation.outputSchema, {
    ...{ asksUser: conversation.asksUser, approves: conversation.approvals !== 'never' },
    ...(hasSignIn(conversation) ? { hasSignIn: true } : {}),
  })
