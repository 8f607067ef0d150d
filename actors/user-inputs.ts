import { closingAddress, taskAddress } from '../machines/addresses.ts'
import { ANSWERS_INPUTS, TAKES_LIVE_INPUT } from '../machines/input-request.ts'
import type { JournalEntry, Ms } from '../machines/records.ts'
import type { PausedBy, RecordedAnswer, TaskContext } from '../machines/task-types.ts'
import { REFUSALS } from '../machines/texts.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { keptInTime } from './runtime/durable-in-time.ts'
import { waitUntil } from './runtime/effects.ts'
import { StoreUnwritable } from './runtime/ports.ts'
import { redactedWords } from './secrets.ts'
import { taskContext } from './start-facts.ts'
import type { TaskService } from './task-service.ts'

/** [I1, I2, I4] Messages, answers, pauses and cancellations by users, and what tasks ask their users. */

type Inputs = Pick<TaskService, 'pauseTask' | 'sendMessage' | 'answerInput' | 'cancelTask' | 'liveInput'>

export function createInputs(system: ActorSystem, task: TaskService['task']): Inputs {
  const { registry, ports, snapshotWriter } = system
  const { clock } = ports

  /** A running task of this workspace, once its start is durable. */
  async function runningTask(workspaceId: string, taskId: string) {
    const view = await task(workspaceId, taskId)
    if (!view) return 'not_found'
    if (view.status !== 'running') return 'not_running'
    await keptInTime(clock, system.starts.get(taskId)?.over ?? Promise.resolve())
    return view
  }

  /** Loads the conversation of a running task of this workspace into memory, which messages and answers need. */
  async function loadConversation(workspaceId: string, taskId: string) {
    const view = await runningTask(workspaceId, taskId)
    if (typeof view === 'string') return view
    if (!registry.has(taskAddress(taskId))) return 'not_running'
    // It may have ended while its log was read, also because that is damaged: then the conversation is not needed.
    const conversation = await Promise.resolve(system.conversations.of(taskId)).catch(() => null)
    if (conversation && registry.has(taskAddress(taskId))) return conversation
    system.conversations.forget(taskId)
    return 'not_running'
  }

  /** [D22] Nothing is begun that a client, who is told that the store is away, would do again. */
  const assertWritable = () => {
    if (snapshotWriter.failingSince !== null) throw new StoreUnwritable(REFUSALS.store_away)
  }
  const durable = (workspaceId: string) => keptInTime(clock, snapshotWriter.barrier(workspaceId))

  return {
    async cancelTask(workspaceId, taskId, by) {
      const view = await runningTask(workspaceId, taskId)
      if (typeof view === 'string') return view
      // Also while the store is away: the task acts no more, and asking again changes nothing.
      registry.post(taskAddress(taskId), { type: 'task.cancel', by, at: clock.now() })
      await keptInTime(
        clock,
        registry.until(closingAddress(taskId), (closing) => closing.hasTag('written')),
      )
      const ended = await task(workspaceId, taskId)
      return ended?.endedBy === 'cancelled' ? ended : 'not_running'
    },

    async pauseTask(workspaceId, taskId, paused, by: PausedBy = 'client') {
      const view = await runningTask(workspaceId, taskId)
      if (typeof view === 'string') return view
      const type = paused ? 'task.pause' : 'task.continue'
      if (!registry.post(taskAddress(taskId), { type, by, at: clock.now() })) return 'not_running'
      await durable(workspaceId)
      const { browserSessionId: sessionId } = view
      const pausedBy = taskContext(system, taskId)?.pausedBy
      // [R57] Pauses by clients, too: the panel shows what holds its task.
      if (pausedBy && answersInputs(system, sessionId))
        ports.outbox.send(sessionId, { type: 'pause_changed', taskId, pausedBy })
      return (await task(workspaceId, taskId)) ?? 'not_found'
    },

    async liveInput(workspaceId, taskId, events) {
      const view = await runningTask(workspaceId, taskId)
      if (typeof view === 'string') return view
      const isAsked = view.inputRequest?.kind === 'takeover'
      if (!isAsked && view.state !== 'paused') return 'not_waiting'
      const { browserSessionId: sessionId } = view
      if (!system.browserTools.get(sessionId)?.includes(TAKES_LIVE_INPUT)) return 'not_possible'
      return ports.outbox.send(sessionId, { type: 'live_input', taskId, events }) ? 'sent' : 'not_possible'
    },

    async sendMessage(workspaceId, taskId, { text: written, interrupt }) {
      const conversation = await loadConversation(workspaceId, taskId)
      if (typeof conversation === 'string') return conversation
      assertWritable()
      // It may have ended in the same moment: its log takes no more.
      if (!registry.has(taskAddress(taskId))) return 'not_running'
      const text = redactedWords(system, taskId, conversation, written)
      const at = clock.now()
      const entry: JournalEntry = { kind: 'message', text, at }
      // In one moment: its place in the log, and the task's knowledge of it, go into the same commit.
      conversation.addMessage(entry)
      system.events.append(taskId, { type: 'message.received', at, text, interrupt })
      registry.post(taskAddress(taskId), { type: 'message.received', interrupt, at })
      await durable(workspaceId)
      return 'sent'
    },

    async answerInput(workspaceId, taskId, requestId, { action, content, forTask = false }) {
      const conversation = await loadConversation(workspaceId, taskId)
      if (conversation === 'not_found') return 'not_found'
      if (conversation === 'not_running') return 'answered'
      const context = taskContext(system, taskId)
      if (!context) return 'answered'
      if (context.inputRequest?.id !== requestId)
        return context.answered.includes(requestId) ? 'answered' : 'no_request'

      assertWritable()
      const answer = {
        ...{ requestId, action, forTask, releaseId: ports.ids.uuid() },
        content: redactedWords(system, taskId, conversation, content),
      }
      registry.post(taskAddress(taskId), { type: 'input.answered', ...answer, at: clock.now() })
      await durable(workspaceId)
      return 'accepted'
    },
  }
}

/** [I4] The user is asked: the log says so, and the browser that follows the task. */
export function recordInput(system: ActorSystem, { taskId, sessionId, inputRequest }: TaskContext): void {
  if (!inputRequest) return
  const { id, kind, message, schema, call, expiresAt } = inputRequest
  const request = { request_id: id, kind, message, schema, call, expires_at: expiresAt }
  system.events.append(taskId, { type: 'input.requested', at: system.ports.clock.now(), ...request })
  if (!answersInputs(system, sessionId)) return
  system.ports.outbox.send(sessionId, { type: 'input_requested', taskId, request: inputRequest })
}

/** [I9] Whether the user can answer in this browser. */
const answersInputs = (system: ActorSystem, sessionId: string): boolean =>
  system.browserTools.get(sessionId)?.includes(ANSWERS_INPUTS) ?? false

export function recordAnswer(system: ActorSystem, { context, action, by, forTask, at }: RecordedAnswer): void {
  const { taskId, sessionId, inputRequest } = context
  if (!inputRequest) return
  system.events.append(taskId, {
    type: 'input.answered',
    at,
    request_id: inputRequest.id,
    action,
    by,
    ...(forTask ? { for: 'task' } : {}),
  })
  if (!answersInputs(system, sessionId)) return
  system.ports.outbox.send(sessionId, { type: 'input_answered', taskId, inputId: inputRequest.id, action })
}

/** The time for an answer, which an end of the task cuts short. */
export async function inputExpiry(system: ActorSystem, at: Ms, signal: AbortSignal) {
  const { clock, ids } = system.ports
  await waitUntil(clock, at, signal)
  return signal.aborted ? null : { type: 'input.expired', releaseId: ids.uuid(), at: clock.now() }
}
