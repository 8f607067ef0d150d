import { type Address, taskAddress } from '../machines/addresses.ts'
import type { CheckRecord, ReplyRecord, ResultRecord } from '../machines/agent-loop.ts'
import type { CallResult, JournalEntry } from '../machines/records.ts'
import { browserInstanceOf } from '../machines/session.ts'
import { taskMachine } from '../machines/task.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { TO_MODEL } from '../machines/texts.ts'
import { openCall, reconcile } from './call-reconciliation.ts'
import { ask } from './conversation/ask.ts'
import type { Conversation } from './conversation/conversation.ts'
import { outputText, textForModel } from './conversation/tool-output.ts'
import { recordCalled, recordChecked, recordReplied, recordSettled } from './events/task-events.ts'
import { recordMove, wantPlace } from './pools.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { alarm, answering, type Cancellation, posting } from './runtime/effects.ts'
import { servedCall } from './served-calls.ts'
import { sessionContext } from './session.ts'
import { taskContext } from './start-facts.ts'
import { sendUpdate } from './task-frames.ts'
import { inputExpiry, recordAnswer, recordInput } from './user-inputs.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
export type Result = Extract<JournalEntry, { kind: 'result' }>

/** Runs a task: asks the model, makes intents durable before they are sent, and records what happens. */
export const taskActor = (system: ActorSystem) =>
  taskMachine.provide({
    actors: {
      alarm: alarm(system.registry),
      reconcile: answering(system.registry, ({ taskId, requestId }) => reconcile(system, taskId, requestId)),
      wantPlace: answering(system.registry, (task) => wantPlace(system, task)),
      inputExpiry: answering(system.registry, ({ at }, { signal }) => inputExpiry(system, at, signal)),
    },
    actions: {
      ask: ({ self }, attempt) =>
        system.entryEffects.begin(self.id as Address, (cancellation) =>
          system.models.whenFree(async () => {
            // A start is answered before its task begins to think.
            if (attempt.step === 1) await new Promise<void>(system.soon)
            return cancellation.cancelled ? null : ask(system, attempt, cancellation.signal)
          }),
        ),
      keep: ({ self }, call) =>
        system.entryEffects.begin(self.id as Address, (cancellation) => keep(system, call, cancellation)),
      serve: ({ self }, { taskId }) =>
        system.entryEffects.begin(self.id as Address, (cancellation) => serve(system, taskId, cancellation)),
      endEffect: ({ self }) => system.entryEffects.end(self.id as Address),
      recordReply: (_, params) => recordReply(system, params),
      ...posting(system),
      openCall: (_, params) => openCall(system, params, false),
      recordInput: (_, { context }) => recordInput(system, context),
      recordAnswer: (_, answer) => recordAnswer(system, answer),
      recordMove: (_, { taskId, sessionId }) => recordMove(system, taskId, sessionId),
      recordCall: (_, { context }) => recordToolUse(system, context),
      recordCheck: (_, params) => recordCheck(system, params),
      recordResult: (_, params) => recordResult(system, params),
    },
  })

/** Resolves when the intent of the current call is durable, with the id of the browser instance to send it to. */
async function keep(
  system: ActorSystem,
  { taskId, sessionId, workspaceId }: Pick<TaskContext, 'taskId' | 'sessionId' | 'workspaceId'>,
  cancellation: Cancellation,
) {
  system.snapshotWriter.markDirty(workspaceId, taskAddress(taskId))
  await system.snapshotWriter.barrier(workspaceId)
  if (cancellation.cancelled) return null
  const browserInstanceId = browserInstanceOf(sessionContext(system, sessionId)?.socket ?? null)
  return { type: 'intent.kept', browserInstanceId, at: system.ports.clock.now() }
}

/** [L41] Carries out the current call, or asks for a call that it needs. It is logged when it begins. */
async function serve(system: ActorSystem, taskId: string, cancellation: Cancellation) {
  const conversation = await system.conversations.of(taskId)
  const context = taskContext(system, taskId)
  const [call] = context?.calls ?? []
  if (!context || !call || cancellation.cancelled) return null
  const nested = conversation.nestedOf(call.requestId)
  if (nested.length === 0) recordToolUse(system, context)
  const { signal } = cancellation
  return servedCall(system, { context, call, conversation, nested, signal })
}

/** The reply that the task has taken goes into the journal, unless it came from there. */
function recordReply(system: ActorSystem, { taskId, step, reply, warning }: ReplyRecord): void {
  const conversation = system.conversations.joinedBy(taskId)
  if (conversation?.replyOf(step)) return
  const { type: _, output: __, ...said } = { output: null, ...reply }
  const entry: Reply = { kind: 'reply', step, calls: [], ...said, announced: reply.announced ?? null }
  conversation?.addReply(entry)
  recordReplied(system, taskId, entry)
  if (entry.played) {
    const { from, of } = entry.played
    const played = { recipe_step: from + 1, recipe_steps: of, text: entry.text }
    system.events.append(taskId, { type: 'recipe.step', at: reply.at, step, ...played })
  }
  if (warning) system.events.append(taskId, { type: 'budget.warned', at: reply.at, ...warning })
}

/** [L38] Once for each site that the task comes to. They are kept as they were then. */
function siteNotesFor(
  { ports }: ActorSystem,
  conversation: Conversation | null,
  outcome: CallResult,
): Pick<Result, 'site'> {
  const site = ('url' in outcome && outcome.url && ports.siteNotes?.(outcome.url)) || null
  return site === null || !conversation || conversation.hasNotesOn(site.domain) ? {} : { site }
}

/** [L25] The model is asked to check its answer. */
function recordCheck(system: ActorSystem, { context, note }: CheckRecord): void {
  const { taskId, step, at, calls } = context
  const [call] = calls
  const conversation = system.conversations.joinedBy(taskId)
  if (!call || conversation?.resultOf(call.requestId)) return
  const { requestId, tool, input, unsourced = [] } = call
  const text = [TO_MODEL.checkAnswer(unsourced), note].filter((each) => each !== null).join('\n\n')
  const settled = { failed: false, screenshot: null, durationMs: 0, at }
  const entry: Result = { kind: 'result', step, requestId, tool, text, ...settled }
  conversation?.addResult(entry, null)
  recordChecked(system, taskId, entry, String(input.answer ?? ''))
}

/**
 * A call has its result: the journal, the model and the records learn of it. What a browser has answered finds the conversation
 * in memory: it is redacted before. Other results, such as those of calls that are not sent, have neither screenshot nor address.
 */
function recordResult(system: ActorSystem, { context, outcome, at, note }: ResultRecord): void {
  const { taskId, workspaceId, step, calls } = context
  const [call] = calls
  if (!call) return
  const conversation = system.conversations.joinedBy(taskId)
  if (conversation?.resultOf(call.requestId)) return
  const given = outcome.status === 'done' ? outcome.screenshot : null
  const screenshot = given !== null && conversation?.hasRoomFor(given) ? given : null
  const notes = [note, given === screenshot ? null : TO_MODEL.screenshotsFull].filter((each) => each !== null)
  const entry: Result = {
    kind: 'result',
    step,
    requestId: call.requestId,
    tool: call.tool,
    text: textForModel(outcome, notes.length > 0 ? notes.join('\n') : null),
    failed: outcome.status !== 'done',
    ...(outcome.status === 'done' && outcome.halts ? { halts: outcome.halts } : {}),
    screenshot: screenshot === null || !conversation ? null : conversation.screenshots,
    ...siteNotesFor(system, conversation, outcome),
    ...('url' in outcome && outcome.url ? { url: outcome.url } : {}),
    ...(conversation?.recipe ? actOf(outcome) : {}),
    durationMs: Math.max(0, at - context.at),
    at,
  }
  conversation?.addResult(entry, screenshot)
  recordSettled(system, taskId, entry, outcome.status === 'done' ? outputText(outcome.output) : entry.text)
  // The screenshot is kept by the commit that has the result.
  if (screenshot !== null && entry.screenshot !== null) {
    const image = Buffer.from(screenshot, 'base64')
    system.snapshotWriter.addImage(workspaceId, { taskId, step, number: entry.screenshot, image })
  }
  sendUpdate(system, context, call.tool, null, entry.failed ? 'tool_error' : 'tool_result')
}

/** [J2] What a recipe is made of, and played by. */
const actOf = (outcome: CallResult): Pick<Result, 'act' | 'state'> => ({
  ...('act' in outcome && outcome.act ? { act: outcome.act } : {}),
  ...('fingerprint' in outcome && outcome.fingerprint ? { state: outcome.fingerprint } : {}),
})

/**
 * [R31] Tells the log of the current call, and the browser that follows the task; once, though a pause delays the call, or
 * it has asked for calls of its own.
 */
function recordToolUse(system: ActorSystem, context: TaskContext): void {
  const [call] = context.calls
  const { callId, parentId } = system.events.lastLogged(context.taskId) ?? {}
  if (!call || callId === call.requestId || parentId === call.requestId) return
  const { requestId, tool, input, parent } = call
  if (parent !== undefined) {
    const conversation = system.conversations.joinedBy(context.taskId)
    conversation?.addNested({ kind: 'nested', requestId, parent, tool, input, at: context.at })
  }
  recordCalled(system, context, call)
  sendUpdate(system, context, call.tool, call.input, 'tool_use')
}
