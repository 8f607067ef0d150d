import { createActor, fromCallback } from 'xstate'
import { callMachine } from '../../../machines/call.ts'
import type { CallOutcome, ToolCall } from '../../../machines/records.ts'
import { taskMachine } from '../../../machines/task.ts'

const silent = fromCallback(() => {})
const nothing = () => {}
const task = taskMachine.provide({
  actors: { alarm: silent, recall: silent },
  actions: {
    post: nothing,
    postAll: nothing,
    ask: nothing,
    keep: nothing,
    endEffect: nothing,
    recordReply: nothing,
    openCall: nothing,
    noteCall: nothing,
    noteResult: nothing,
  },
} as never)
const call = callMachine.provide({ actions: { sendFrame: nothing } })

const STEPS = 10
const at = Date.now()
const reply = { text: 'I look.', usage: { inputTokens: 10, outputTokens: 2, apiCalls: 1 }, model: 'm', at }
const outcome: CallOutcome = { status: 'done', output: 'seen', screenshot: null }

/** One task of ten steps and its calls, with nothing around the machines. Gives the number of events. */
function oneTask(n: number): number {
  const taskId = `task-${n}`
  const sessionId = `session-${n}`
  const actor = createActor(task, {
    input: { taskId, workspaceId: 'w', sessionId, requestId: null, deadlineAt: at + 60_000, verify: true },
  })
  let events = 1
  actor.start()
  for (let step = 1; step <= STEPS; step++) {
    const requestId = `${taskId}-${step}`
    const toolCall: ToolCall = { requestId, taskId, sessionId, tool: 'find', input: { query: `article ${step}` } }
    actor.send({ type: 'model.called', calls: [{ ...toolCall, refusal: null }], ...reply })
    actor.send({ type: 'intent.kept', instance: 'memory', at })
    // The first time it learns which browser it is, and is kept once more.
    if (step === 1) actor.send({ type: 'intent.kept', instance: 'memory', at })
    const child = createActor(call, { input: { call: toolCall, at, reopened: false } })
    child.start()
    child.send({ type: 'call.answered', outcome })
    actor.send({ type: 'call.settled', requestId, outcome, at })
    events += 5
  }
  actor.send({ type: 'model.answered', ...reply })
  if (actor.getSnapshot().status !== 'done') throw new Error('The bare task did not end')
  return events + 2
}

/** How many transitions a second the bare machines make, and how many steps that is. */
export function transitions(seconds: number): { perS: number; stepsPerS: number; usPerStep: number } {
  for (let n = 0; n < 200; n++) oneTask(n)
  const from = performance.now()
  let events = 0
  let tasks = 0
  while (performance.now() - from < seconds * 1_000) events += oneTask(++tasks)
  const passed = (performance.now() - from) / 1_000
  return { perS: events / passed, stepsPerS: (tasks * STEPS) / passed, usPerStep: (passed * 1e6) / (tasks * STEPS) }
}
