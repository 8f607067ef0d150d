import { sessionAddress } from '../machines/addresses.ts'
import { currentRequest, toolCall } from '../machines/agent-loop.ts'
import type { OpenCall, TaskContext } from '../machines/task-types.ts'
import { resultIn } from './conversation/conversation.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { ensureSession } from './session.ts'
import { taskContext } from './start-facts.ts'
import type { Result } from './task.ts'

/** [D8, D9] After a restart: the result may be in the journal; else only the browser knows it. */
export async function reconcile(system: ActorSystem, taskId: string, requestId: string) {
  const { clock } = system.ports
  const asked = taskContext(system, taskId)
  // The result of a call stands under the model's own id, also when the user's answer led to it.
  const kept = asked && (await keptResult(system, asked))
  const context = taskContext(system, taskId)
  if (kept === 'damaged' || !context || currentRequest(context) !== requestId) return null
  if (kept) {
    const halted = context.calls[0]?.parent ? null : haltOf(kept)
    return { type: 'call.recovered', requestId, halted, at: clock.now() }
  }
  if (context.browserInstanceId === null) return { type: 'call.neverSent', requestId }
  const { browserInstanceId, workspaceId } = context
  openCall(system, { call: toolCall(context), at: clock.now(), browserInstanceId, workspaceId }, true)
  return null
}

async function keptResult({ conversations }: ActorSystem, context: TaskContext) {
  const entries = await conversations.entriesOf(context)
  const id = context.calls[0]?.requestId ?? ''
  // The task goes on with it: what it says from now on comes behind it.
  return entries === null ? 'damaged' : resultIn(entries, id) && (await conversations.of(context.taskId)).resultOf(id)
}

/** The session is to have its browser carry out the current call. */
export function openCall(system: ActorSystem, { workspaceId, ...params }: OpenCall, reopened: boolean): void {
  const { sessionId } = params.call
  ensureSession(system, workspaceId, sessionId)
  system.registry.post(sessionAddress(sessionId), { type: 'call.open', ...params, reopened })
}

/** [L24] Whether the calls behind a kept result may still run. */
const haltOf = ({ failed, halts }: Result) => (failed ? 'failure' : (halts ?? null))
