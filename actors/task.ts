import { type Address, sessionAddress, taskAddress } from '../machines/addresses.ts'
import type { BudgetWarning } from '../machines/budget.ts'
import { browserInstanceOf } from '../machines/call-reconciliation.ts'
import { TO_MODEL } from '../machines/failures.ts'
import type { CallResult, JournalEntry, Ms } from '../machines/records.ts'
import { taskMachine } from '../machines/task.ts'
import { toolCall } from '../machines/task-decisions.ts'
import { currentRequest, type ModelReply as ModelReplied, type TaskContext } from '../machines/task-types.ts'
import { ask } from './conversation/ask.ts'
import type { Conversation } from './conversation/conversation.ts'
import { outputText, textForModel } from './conversation/prompt.ts'
import { recordChecked, recordReplied } from './events/task-events.ts'
import { inputExpiry, recordAnswer, recordInput } from './inputs.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { alarm, answering, type Cancellation } from './runtime/effects.ts'
import { ensureSession, sessionContext } from './session.ts'
import { recordToolResult, recordToolUse } from './step-records.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/** Runs a task: asks the model, makes intents durable before they are sent, and records what happens. */
export const taskActor = (system: ActorSystem) =>
  taskMachine.provide({
    actors: {
      alarm: alarm(system.registry),
      reconcile: answering(system.registry, ({ taskId, requestId }) => reconcile(system, taskId, requestId)),
      inputExpiry: answering(system.registry, ({ taskId, at }, { signal }) => inputExpiry(system, taskId, at, signal)),
    },
    actions: {
      ask: ({ self }, attempt) =>
        system.entryEffects.begin(self.id as Address, (cancellation) =>
          system.models.whenFree(async () =>
            cancellation.cancelled ? null : ask(system, attempt, cancellation.signal),
          ),
        ),
      keep: ({ self }, call) =>
        system.entryEffects.begin(self.id as Address, (cancellation) => keep(system, call, cancellation)),
      endEffect: ({ self }) => system.entryEffects.end(self.id as Address),
      recordReply: (_, params) => recordReply(system, params),
      postAll: (_, posts) => {
        for (const { to, event } of posts) system.registry.post(to, event)
      },
      openCall: (_, { call, at, browserInstanceId, workspaceId }) => {
        ensureSession(system, workspaceId, call.sessionId)
        system.registry.post(sessionAddress(call.sessionId), {
          type: 'call.open',
          call,
          at,
          reopened: false,
          browserInstanceId,
        })
      },
      recordInput: (_, { context }) => recordInput(system, context),
      recordAnswer: (_, answer) => recordAnswer(system, answer),
      recordCall: (_, { context }) => recordToolUse(system, context),
      recordCheck: (_, params) => recordCheck(system, params),
      recordResult: (_, params) => recordResult(system, params),
    },
  })

/** Resolves when the intent of the current call is durable, with the id of the browser instance to send it to. */
async function keep(
  system: ActorSystem,
  { taskId, sessionId }: { taskId: string; sessionId: string },
  cancellation: Cancellation,
) {
  system.snapshotWriter.markDirty(taskAddress(taskId))
  await system.snapshotWriter.barrier()
  if (cancellation.cancelled) return null
  // After a restart the conversation is read again before a result needs it.
  await system.conversations.of(taskId)
  const browserInstanceId = browserInstanceOf(sessionContext(system, sessionId)?.socket ?? null)
  return { type: 'intent.kept', browserInstanceId, at: system.ports.clock.now() }
}

/** The reply that the task has taken goes into the journal, unless it came from there. */
function recordReply(
  system: ActorSystem,
  {
    taskId,
    step,
    reply,
    warning,
  }: { taskId: string; step: number; reply: ModelReplied; warning: BudgetWarning | null },
): void {
  const conversation = conversationOf(system, taskId)
  if (conversation.replyOf(step)) return
  const entry: Reply = {
    kind: 'reply',
    step,
    text: reply.text,
    calls: reply.type === 'model.requestedTools' ? reply.calls : [],
    usage: reply.usage,
    model: reply.model,
    ...(reply.costUsd === undefined ? {} : { costUsd: reply.costUsd }),
    ...(reply.lastCall ? { lastCall: true } : {}),
    ...(reply.hasFinish ? { hasFinish: true } : {}),
    announced: reply.announced ?? null,
    ...(reply.read === undefined ? {} : { read: reply.read }),
    ...(reply.replay === undefined ? {} : { replay: reply.replay }),
    at: reply.at,
  }
  conversation.addReply(entry)
  recordReplied(system, taskId, entry)
  if (warning) system.events.append(taskId, { type: 'budget.warned', at: reply.at, ...warning })
}

/** The conversation of a task that has asked its model: it is in memory. */
function conversationOf(system: ActorSystem, taskId: string): Conversation {
  const conversation = system.conversations.of(taskId)
  if (conversation instanceof Promise) throw new Error(`Task ${taskId} has no conversation`)
  return conversation
}

/** [D8, D9] After a restart: the result may be in the journal; else only the browser knows it. */
async function reconcile(system: ActorSystem, taskId: string, requestId: string) {
  const { clock } = system.ports
  const conversation = await system.conversations.of(taskId)
  const context = system.registry.snapshot(taskAddress(taskId))?.context as TaskContext | undefined
  if (!context || currentRequest(context) !== requestId) return null
  // The result of a call stands under the model's own id, also when the user's answer led to it.
  const kept = conversation.resultOf(context.calls[0]?.requestId ?? '')
  if (kept) return { type: 'call.recovered', requestId, halted: haltOf(kept), at: clock.now() }
  if (context.browserInstanceId === null) return { type: 'call.neverSent', requestId }
  ensureSession(system, context.workspaceId, context.sessionId)
  system.registry.post(sessionAddress(context.sessionId), {
    type: 'call.open',
    call: toolCall(context),
    at: clock.now(),
    reopened: true,
    browserInstanceId: context.browserInstanceId,
  })
  return null
}

/** [L24] Whether the calls behind a kept result may still run. */
const haltOf = ({ failed, halts }: Result) => (failed ? 'failure' : (halts ?? null))

/** [L38] Once for each site that the task comes to. They are kept as they were then. */
function siteNotesFor({ ports }: ActorSystem, conversation: Conversation, outcome: CallResult): Pick<Result, 'site'> {
  const site = ('url' in outcome && outcome.url && ports.siteNotes?.(outcome.url)) || null
  return site === null || conversation.hasNotesOn(site.domain) ? {} : { site }
}

/** [L25] The model is asked to check its answer. */
function recordCheck(system: ActorSystem, { context, note }: { context: TaskContext; note: string | null }): void {
  const { taskId, step, at, calls } = context
  const [call] = calls
  const conversation = conversationOf(system, taskId)
  if (!call || conversation.resultOf(call.requestId)) return
  const { requestId, tool, input } = call
  const text = [TO_MODEL.checkAnswer, note].filter((each) => each !== null).join('\n\n')
  const entry: Result = {
    kind: 'result',
    step,
    requestId,
    tool,
    text,
    failed: false,
    screenshot: null,
    durationMs: 0,
    at,
  }
  conversation.addResult(entry, null)
  recordChecked(system, taskId, entry, String(input.answer ?? ''))
}

/** A call has its result: the journal, the model and the records learn of it. */
function recordResult(
  system: ActorSystem,
  { context, outcome, at, note }: { context: TaskContext; outcome: CallResult; at: Ms; note: string | null },
): void {
  const [call] = context.calls
  if (!call) return
  const conversation = conversationOf(system, context.taskId)
  if (conversation.resultOf(call.requestId)) return
  const given = outcome.status === 'done' ? outcome.screenshot : null
  const screenshot = given !== null && conversation.hasRoomFor(given) ? given : null
  const notes = [note, given === screenshot ? null : TO_MODEL.screenshotsFull].filter((each) => each !== null)
  const entry: Result = {
    kind: 'result',
    step: context.step,
    requestId: call.requestId,
    tool: call.tool,
    text: textForModel(outcome, notes.length > 0 ? notes.join('\n') : null),
    failed: outcome.status !== 'done',
    ...(outcome.status === 'done' && outcome.halts ? { halts: outcome.halts } : {}),
    screenshot: screenshot === null ? null : conversation.screenshots,
    ...siteNotesFor(system, conversation, outcome),
    ...('url' in outcome && outcome.url ? { url: outcome.url } : {}),
    durationMs: Math.max(0, at - context.at),
    at,
  }
  conversation.addResult(entry, screenshot)
  recordToolResult(
    system,
    context,
    entry,
    outcome.status === 'done' ? outputText(outcome.output) : entry.text,
    screenshot,
  )
}
