import { callAddress } from '../machines/addresses.ts'
import { TOOL_OUTPUT_DEPTH_MAX } from '../machines/limits.ts'
import type { CallOutcome } from '../machines/records.ts'
import { outputTooDeep } from '../machines/texts.ts'
import type { Conversation } from './conversation/conversation.ts'
import { isDeeperThan } from './conversation/reply-checks.ts'
import { outputText } from './conversation/tool-output.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { redactedOutcome } from './secrets.ts'
import { sessionContext, updateSessionRecord } from './session.ts'
import type { ToolResultIn } from './task-service.ts'

/** [R16, R17] Passes a result to its call, if that is pending in this session; else the result is dropped and counted. */
export function takeResult(system: ActorSystem, sessionId: string, result: ToolResultIn): void {
  const { registry, vitals } = system
  const { requestId, error, output, screenshot, tab } = result
  const address = callAddress(requestId)
  const session = sessionContext(system, sessionId)
  const call = registry.has(address) ? session?.calls[requestId] : undefined
  if (!call) {
    vitals.send({ type: 'resultDropped' })
    return
  }
  if (tab && tab.browserSessionId === sessionId) keepTab(system, sessionId, tab)
  const tells = session?.socket?.protocol === 2
  const page = (tells && result.page) || {}
  const said = tells && typeof result.said === 'string' ? { said: result.said } : {}
  const outcome: CallOutcome =
    tells && result.held
      ? { status: 'held', held: result.held }
      : error === null
        ? isDeeperThan(output, TOOL_OUTPUT_DEPTH_MAX)
          ? { status: 'failed', ...outputTooDeep }
          : { status: 'done', output, screenshot, ...said, ...page }
        : { status: 'failed', category: 'internal', message: error, ...(tells ? {} : { quotes: true }), ...page }
  const { taskId } = call
  const conversation = system.conversations.of(taskId)
  const settle = (of: Conversation) =>
    void registry.post(address, {
      type: 'call.answered',
      outcome: asRead(redactedOutcome(system, taskId, of, outcome)),
    })
  if (conversation instanceof Promise) conversation.then(settle, () => {})
  else settle(conversation)
}

/** Cuts an output to what the model may read: processing all of 16 MB would block the event loop. */
const asRead = (outcome: CallOutcome): CallOutcome =>
  outcome.status === 'done' ? { ...outcome, output: outputText(outcome.output) } : outcome

/** [R16] Stores the tab that a result came from with the session, if it changed. Best effort. */
function keepTab(
  system: ActorSystem,
  sessionId: string,
  { tabId, windowId }: { tabId: number | null; windowId: number | null },
): void {
  const known = system.tabs.get(sessionId)
  if (known && known.tabId === tabId && known.windowId === windowId) return
  system.tabs.set(sessionId, { tabId, windowId })
  updateSessionRecord(system, sessionId, { tabId, windowId })
}
