import type { Message, ModelReply } from '../../actors/runtime/ports.ts'
import { MODEL_OUTPUT_TOKENS_MAX, MODEL_REQUESTS_PER_SESSION_MAX } from '../../machines/limits.ts'
import { REFUSALS, TO_BROWSER } from '../../machines/texts.ts'
import { NO_USAGE, withUsage } from '../../machines/usage.ts'
import { uuidAt } from '../../machines/uuid.ts'
import type { LlmRequest } from '../wire/relay.ts'
import type { RelayContext } from './relay.ts'
import { rightsOf } from './rights.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * [R34–R37] A browser's own request to the language model: metered, at most ten at a time per session, answered by one
 * `llm_response` with content or error. It is abandoned when the socket closes.
 */
export async function answerLlmRequest(
  relay: RelayContext,
  socket: RelaySocket,
  { requestId, messages, maxTokens }: LlmRequest,
  foreign: boolean,
): Promise<void> {
  const { session } = socket.data
  if (!session) return
  const answer = (fields: { content: readonly object[] } | { error: string }) =>
    void relay.send(session.id, { type: 'llm_response', requestId, ...fields })
  if (foreign) return answer({ error: REFUSALS.session_not_found })
  socket.data.modelRequests ??= new Set()
  const underWay = socket.data.modelRequests
  if (underWay.size >= MODEL_REQUESTS_PER_SESSION_MAX) return answer({ error: TO_BROWSER.tooManyModelRequests })
  const conversation = conversationOf(messages)
  if (!conversation) return answer({ error: TO_BROWSER.invalidMessages })
  const controller = new AbortController()
  underWay.add(controller)
  try {
    const refusal = await refusalOf(relay, session)
    if (refusal !== null) return answer({ error: refusal })
    const limit = Math.max(1, Math.min(MODEL_OUTPUT_TOKENS_MAX, Math.floor(maxTokens ?? MODEL_OUTPUT_TOKENS_MAX)))
    const reply = await relay.taskService.askModel({ ...conversation, tools: [], maxTokens: limit }, controller.signal)
    if (reply.kind === 'failed') return answer({ error: reply.message })
    await meter(relay, session.workspaceId, reply)
    answer({ content: [{ type: 'text', text: reply.text }] })
  } catch (error) {
    if (controller.signal.aborted) return
    relay.log.error({ sessionId: session.id, err: error }, 'A model request of a browser failed')
    answer({ error: REFUSALS.internal })
  } finally {
    underWay.delete(controller)
  }
}

/**
 * [S18, S19] The language model costs: a request needs the right to it, something left to pay with, and a place in the
 * minute.
 */
async function refusalOf(
  relay: RelayContext,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): Promise<string | null> {
  if (!(await rightsOf(relay, id)).allowTasks) return TO_BROWSER.modelNotAllowed
  const { freeRemaining, creditBalance } = await relay.taskService.allowance(workspaceId)
  if (freeRemaining !== null && freeRemaining + creditBalance <= 0) return REFUSALS.no_allowance
  return relay.use.modelRequests.takes(id, relay.clock.now()) ? null : TO_BROWSER.modelRate
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

async function meter(
  relay: RelayContext,
  workspaceId: string,
  reply: Extract<ModelReply, { kind: 'reply' }>,
): Promise<void> {
  const at = relay.clock.now()
  await relay.store.usage.record({
    id: uuidAt(at, relay.ids.uuid()),
    workspaceId,
    apiKeyId: await relay.taskService.payingKey(workspaceId),
    taskRunId: null,
    ...withUsage(NO_USAGE, { ...reply, apiCalls: 1 }),
    model: reply.model,
    at,
  })
}
