import { within } from '../../actors/effects.ts'
import type { Message, ModelReply } from '../../actors/ports.ts'
import { REFUSALS, TO_BROWSER } from '../../machines/failures.ts'
import {
  MODEL_ATTEMPT_MS_MAX,
  MODEL_ATTEMPTS_MAX,
  MODEL_BACKOFF_MS_FIRST,
  MODEL_BACKOFF_MS_MAX,
  MODEL_OUTPUT_TOKENS_MAX,
  MODEL_REQUESTS_PER_SESSION_MAX,
} from '../../machines/limits.ts'
import { uuidAt } from '../../machines/uuid.ts'
import type { LlmRequest } from '../wire/relay.ts'
import type { LinkSocket } from './link.ts'
import type { RelayWorld } from './relay.ts'
import { rightsOf } from './rights.ts'

/**
 * [R8] A browser's own request to the language model: metered, at most ten at a time per session, answered by one
 * `llm_response` with content or error. It is abandoned when the socket closes.
 */
export async function complete(
  world: RelayWorld,
  socket: LinkSocket,
  { requestId, messages, maxTokens }: LlmRequest,
  foreign: boolean,
): Promise<void> {
  const { session } = socket.data
  if (!session) return
  const answer = (fields: { content: readonly object[] } | { error: string }) =>
    void world.send(session.id, { type: 'llm_response', requestId, ...fields })
  if (foreign) return answer({ error: REFUSALS.session_not_found })
  socket.data.modelRequests ??= new Set()
  const underWay = socket.data.modelRequests
  if (underWay.size >= MODEL_REQUESTS_PER_SESSION_MAX) return answer({ error: TO_BROWSER.tooManyModelRequests })
  const conversation = conversationOf(messages)
  if (!conversation) return answer({ error: TO_BROWSER.invalidMessages })
  const controller = new AbortController()
  underWay.add(controller)
  try {
    const refusal = await refusalOf(world, session)
    if (refusal !== null) return answer({ error: refusal })
    const reply = await ask(world, conversation, maxTokens ?? MODEL_OUTPUT_TOKENS_MAX, controller.signal)
    if (controller.signal.aborted) return
    if (reply.kind === 'failed') return answer({ error: reply.message })
    await meter(world, session.workspaceId, reply)
    answer({ content: [{ type: 'text', text: reply.text }] })
  } catch (error) {
    if (controller.signal.aborted) return
    world.log.error({ sessionId: session.id, err: error }, 'A model request of a browser failed')
    answer({ error: REFUSALS.internal })
  } finally {
    underWay.delete(controller)
  }
}

/** [S18, S19] The language model costs: a request needs the right to it, something left to pay with, and a place in the minute. */
async function refusalOf(
  world: RelayWorld,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): Promise<string | null> {
  if (!(await rightsOf(world, id)).allowTasks) return TO_BROWSER.modelNotAllowed
  const { freeRemaining, creditBalance } = await world.desk.allowance(workspaceId)
  if (freeRemaining !== null && freeRemaining + creditBalance <= 0) return REFUSALS.no_allowance
  return world.use.modelRequests.takes(id, world.clock.now()) ? null : TO_BROWSER.modelRate
}

interface Conversation {
  readonly system: string
  readonly messages: readonly Message[]
}

/** `{role, content}` with text, or blocks of text, as content; `system` may be among them. `null` when it is not that. */
function conversationOf(messages: unknown): Conversation | null {
  if (!Array.isArray(messages) || messages.length === 0) return null
  const system: string[] = []
  const said: Message[] = []
  for (const message of messages as unknown[]) {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown }
    const text = textOf(content)
    if (text === null) return null
    if (role === 'system') system.push(text)
    else if (role === 'user') said.push({ role, text })
    else if (role === 'assistant') said.push({ role, text, calls: [] })
    else return null
  }
  return said.length > 0 ? { system: system.join('\n\n'), messages: said } : null
}

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  const texts = (content as unknown[]).map((block) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown }
    return type === 'text' && typeof text === 'string' ? text : null
  })
  return texts.includes(null) ? null : texts.join('\n')
}

const LATE: ModelReply = {
  kind: 'failed',
  message: TO_BROWSER.modelTimedOut,
  rateLimited: false,
  retryable: true,
  retryAfterMs: null,
}

/** The attempts of a task's model call, without a task: three, with the same pauses. */
async function ask(
  { model, clock }: RelayWorld,
  { system, messages }: Conversation,
  maxTokens: number,
  signal: AbortSignal,
): Promise<ModelReply> {
  const tokens = Math.max(1, Math.min(MODEL_OUTPUT_TOKENS_MAX, Math.floor(maxTokens)))
  for (let attempt = 0; ; attempt++) {
    const answer = await within(clock, MODEL_ATTEMPT_MS_MAX, signal, (limited) =>
      model.ask({ system, messages, tools: [], maxTokens: tokens }, limited),
    )
    const reply = answer === 'late' ? LATE : answer
    if (reply.kind === 'reply' || !reply.retryable || attempt + 1 >= MODEL_ATTEMPTS_MAX || signal.aborted) return reply
    const pause = Math.min(MODEL_BACKOFF_MS_MAX, reply.retryAfterMs ?? MODEL_BACKOFF_MS_FIRST * 2 ** attempt)
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, pause)
      signal.addEventListener('abort', () => {
        clock.clearTimeout(timer)
        resolve()
      })
    })
  }
}

async function meter(
  world: RelayWorld,
  workspaceId: string,
  reply: Extract<ModelReply, { kind: 'reply' }>,
): Promise<void> {
  const at = world.clock.now()
  await world.store.usage.record({
    id: uuidAt(at, world.ids.uuid()),
    workspaceId,
    apiKeyId: await world.desk.payingKey(workspaceId),
    taskRunId: null,
    inputTokens: reply.inputTokens,
    outputTokens: reply.outputTokens,
    apiCalls: 1,
    model: reply.model,
    at,
  })
}
