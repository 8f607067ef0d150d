import { callsDropped, MODEL_FAILURES, TO_MODEL } from '../../machines/failures.ts'
import { CALLS_PER_REPLY_MAX, MODEL_OUTPUT_TOKENS_MAX } from '../../machines/limits.ts'
import { type JournalEntry, type Ms, NO_USAGE, withUsage } from '../../machines/records.ts'
import type { AskParams, ModelReply as ModelReplied } from '../../machines/task-types.ts'
import { TASK_JOURNAL_CHARS_MAX } from '../limits.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import type { Model, ModelReply } from '../runtime/ports.ts'
import { redactedReply } from '../secrets.ts'
import { chosenModel, reserved } from './budget.ts'
import { checkedCalls, checkedOutputs } from './checked-calls.ts'
import { outputIn, outputRequest } from './output.ts'
import { systemPrompt } from './prompt.ts'

type Entry = Extract<JournalEntry, { kind: 'reply' }>
/** A reply as the task uses it, whether it is new or from the journal. */
type Said = Omit<Entry, 'kind' | 'step' | 'at'>
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
  if (conversation.chars > TASK_JOURNAL_CHARS_MAX) return { type: 'journal.full', at: clock.now() }
  // A browser that is away keeps its tools, because the provider's cache begins with the first tool.
  const known = system.browserTools.get(sessionId)
  const announced = known === undefined ? (conversation.announced ?? null) : known
  const read = conversation.readMessages()
  const { approvals, asksUser } = conversation
  const specs = tools.specs(announced, conversation.outputSchema, { asksUser, approves: approvals !== 'never' })
  const asked = {
    model: conversation.model,
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
    return { ...prompt, ...asked, messages: [...conversation.messages, ...told] }
  }
  const given = await system.models.attemptFitting(build, () => conversation.shrink(), signal, {
    limitMs: withinMs,
    // [X6] The end of an incomplete reply may be the beginning of a secret: such replies are not streamed.
    ...(conversation.secrets.length > 0 ? {} : { hear: system.events.live.reply(taskId, step) }),
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
    calls: checkedCalls(system.ports, reply, conversation, outputs),
  })
}

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
