import { type Address, sessionAddress, taskAddress } from '../machines/addresses.ts'
import { callsDropped, inputTooDeep, inputTooLarge, TO_MODEL } from '../machines/failures.ts'
import {
  CALLS_PER_REPLY_MAX,
  MODEL_OUTPUT_TOKENS_MAX,
  TASK_JOURNAL_CHARS_MAX,
  TOOL_INPUT_BYTES_MAX,
  TOOL_INPUT_DEPTH_MAX,
} from '../machines/limits.ts'
import { memoryOf } from '../machines/recollection.ts'
import {
  type CallOutcome,
  type JournalCall,
  type JournalEntry,
  type Ms,
  NO_USAGE,
  withUsage,
} from '../machines/records.ts'
import { taskMachine } from '../machines/task.ts'
import type { ModelReply as ModelReplied, TaskContext } from '../machines/task-context.ts'
import type { Conversation } from './conversation.ts'
import { alarm, answering } from './effects.ts'
import { isDeeperThan } from './json-depth.ts'
import { noteReply, noteToolResult, noteToolUse } from './notes.ts'
import type { ModelReply } from './ports.ts'
import { outputText, systemPrompt, textForModel } from './prompt.ts'
import { ensureSession, sessionContext } from './session.ts'
import type { World } from './world.ts'

type Replied = Extract<ModelReply, { kind: 'reply' }>
type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/** A task alive: it asks the model, keeps before it acts, and notes what happened. */
export const taskActor = (world: World) =>
  taskMachine.provide({
    actors: {
      alarm: alarm(world.registry),
      recall: answering(world.registry, ({ taskId, requestId }) => recall(world, taskId, requestId)),
    },
    actions: {
      ask: ({ self }, attempt) =>
        world.entryEffects.begin(self.id as Address, (signal) =>
          world.models.whenFree(() => ask(world, attempt, signal)),
        ),
      keep: ({ self }, call) => world.entryEffects.begin(self.id as Address, (signal) => keep(world, call, signal)),
      endEffect: ({ self }) => world.entryEffects.end(self.id as Address),
      recordReply: (_, params) => recordReply(world, params),
      post: (_, { to, event }) => void world.registry.post(to, event),
      postAll: (_, posts) => {
        for (const { to, event } of posts) world.registry.post(to, event)
      },
      openCall: (_, { call, at, instance, workspaceId }) => {
        ensureSession(world, workspaceId, call.sessionId)
        world.registry.post(sessionAddress(call.sessionId), { type: 'call.open', call, at, reopened: false, instance })
      },
      noteCall: (_, { context }) => noteToolUse(world, context),
      noteResult: (_, params) => noteResult(world, params),
    },
  })

interface Attempt {
  readonly taskId: string
  readonly sessionId: string
  readonly step: number
  readonly attempt: number
  readonly withinMs: number
}

/** One attempt at the model's reply of a step. A reply that is in the journal is not asked for again. */
async function ask(world: World, { taskId, sessionId, step, attempt, withinMs }: Attempt, signal: AbortSignal) {
  if (signal.aborted) return null
  const { clock, tools } = world.ports
  const conversation = await world.conversations.of(taskId)
  const kept = conversation.replyOf(step)
  if (kept) return replyEvent(kept, clock.now())
  if (conversation.chars > TASK_JOURNAL_CHARS_MAX) return { type: 'journal.full', at: clock.now() }
  // A browser that is away keeps its tools: the provider's cache holds from the first tool on.
  const known = world.browserTools.get(sessionId)
  const announced = known === undefined ? (conversation.announced ?? null) : known
  const specs = tools.specs(announced)
  const build = () => ({
    system: systemPrompt(specs),
    messages: conversation.messages,
    tools: specs,
    maxTokens: MODEL_OUTPUT_TOKENS_MAX,
  })
  const reply = await world.models.attemptFitting(build, () => conversation.shrink(), signal, withinMs)
  const at = clock.now()
  if (reply === 'late') return { type: 'model.timedOut', at }
  if (reply.kind === 'failed') {
    const { message, rateLimited } = reply
    if (!reply.retryable) return { type: 'model.failed', message, rateLimited, at }
    return {
      type: 'model.faltered',
      message,
      rateLimited,
      retryAt: at + world.models.waitMs(attempt, reply.retryAfterMs),
      at,
    }
  }
  const { model, replay } = reply
  const dropped = reply.calls.length - CALLS_PER_REPLY_MAX
  const text = dropped > 0 ? `${reply.text}\n${callsDropped(dropped)}`.trimStart() : reply.text
  const usage = withUsage(NO_USAGE, { ...reply, apiCalls: 1 })
  const said = { text, model, usage, announced, ...(replay === undefined ? {} : { replay }) }
  return replyEvent({ ...said, calls: checkedCalls(world, reply) }, at)
}

/** Resolves when the intent of the call at hand is kept, and says which browser memory there is to send it to. */
async function keep(world: World, { taskId, sessionId }: { taskId: string; sessionId: string }, signal: AbortSignal) {
  // A call that waits for its user to hand back has not begun.
  const pause = world.pauses.whenOver(taskId)
  if (pause) await pause
  if (signal.aborted) return null
  world.keeper.mark(taskAddress(taskId))
  await world.keeper.barrier()
  if (signal.aborted) return null
  // After a restart it is read again before a result needs it.
  await world.conversations.of(taskId)
  const instance = memoryOf(sessionContext(world, sessionId)?.socket ?? null)
  return { type: 'intent.kept', instance, at: world.ports.clock.now() }
}

/** The calls of a reply with the request ids that they will have whatever happens, and why those that are wrong are not sent. */
const checkedCalls = (world: World, reply: Replied): JournalCall[] =>
  reply.calls.slice(0, CALLS_PER_REPLY_MAX).map(({ tool, input }) => {
    const requestId = world.ports.ids.uuid()
    // [L29] Looked at before anything serialises it, and not kept.
    const outOfBounds = isDeeperThan(input, TOOL_INPUT_DEPTH_MAX)
      ? inputTooDeep
      : Buffer.byteLength(JSON.stringify(input) ?? '') > TOOL_INPUT_BYTES_MAX
        ? inputTooLarge
        : null
    if (outOfBounds) return { requestId, tool, input: {}, refusal: outOfBounds.message }
    const checked = world.ports.tools.check(tool, input)
    return checked.ok
      ? { requestId, tool, input: checked.input, refusal: null }
      : { requestId, tool, input: asObject(input), refusal: checked.message }
  })

const asObject = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : { value: input }

const replyEvent = ({ calls, ...reply }: Omit<Reply, 'kind' | 'step' | 'at'>, at: Ms): ModelReplied => {
  const said = { ...reply, at }
  return calls.length > 0 ? { type: 'model.called', calls, ...said } : { type: 'model.answered', ...said }
}

/** The reply that the task has taken goes into the journal, unless it came from there. */
function recordReply(
  world: World,
  { taskId, step, reply }: { taskId: string; step: number; reply: ModelReplied },
): void {
  const conversation = conversationOf(world, taskId)
  if (conversation.replyOf(step)) return
  const entry: Reply = {
    kind: 'reply',
    step,
    text: reply.text,
    calls: reply.type === 'model.called' ? reply.calls : [],
    usage: reply.usage,
    model: reply.model,
    announced: reply.announced ?? null,
    ...(reply.replay === undefined ? {} : { replay: reply.replay }),
    at: reply.at,
  }
  world.keeper.append(taskId, conversation.length, entry)
  conversation.addReply(entry)
  noteReply(world, taskId, entry)
}

/** The conversation of a task that has thought: it is in memory. */
function conversationOf(world: World, taskId: string): Conversation {
  const conversation = world.conversations.of(taskId)
  if (conversation instanceof Promise) throw new Error(`Task ${taskId} has no conversation`)
  return conversation
}

/** [D] After a restart: the result may be in the journal; else only the browser knows. */
async function recall(world: World, taskId: string, requestId: string) {
  const { clock } = world.ports
  const conversation = await world.conversations.of(taskId)
  const kept = conversation.resultOf(requestId)
  if (kept) return { type: 'call.recovered', requestId, halted: haltOf(kept), at: clock.now() }
  const context = world.registry.snapshot(taskAddress(taskId))?.context as TaskContext | undefined
  const call = context?.calls[0]
  if (!context || call?.requestId !== requestId) return null
  if (context.instance === null) return { type: 'call.unsent', requestId }
  ensureSession(world, context.workspaceId, context.sessionId)
  world.registry.post(sessionAddress(context.sessionId), {
    type: 'call.open',
    call: { requestId, taskId, sessionId: context.sessionId, tool: call.tool, input: call.input },
    at: clock.now(),
    reopened: true,
    instance: context.instance,
  })
  return null
}

/** [L24] Whether the calls behind a kept result may still run. */
const haltOf = ({ failed, halts }: Result) => (failed ? 'failure' : (halts ?? null))

/** A call has its result: the journal, the model and the records learn of it. */
function noteResult(
  world: World,
  { context, outcome, at, note }: { context: TaskContext; outcome: CallOutcome; at: Ms; note: string | null },
): void {
  const [call] = context.calls
  if (!call) return
  const conversation = conversationOf(world, context.taskId)
  // A store without transactions may have kept the result and not the row that is past it.
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
    durationMs: Math.max(0, at - context.at),
    at,
  }
  world.keeper.append(context.taskId, conversation.length, entry)
  conversation.addResult(entry, screenshot)
  noteToolResult(world, context, entry, outcome.status === 'done' ? outputText(outcome.output) : entry.text, screenshot)
}
