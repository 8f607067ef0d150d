import { setTimeout } from 'node:timers/promises'
import type { Log, Message, Model, ModelReply } from '../../actors/runtime/ports.ts'
import { REFUSALS, SCRIPTED } from '../../machines/texts.ts'
import { resolve, resolveAll, taskOf, Unresolved } from './script/references.ts'
import { type Part, readScript, type Script } from './script/script.ts'

const ID = 'scripted'
const FINISH = 'finish'
/** A script does not read: nothing is ever shortened for it. */
const CONTEXT_TOKENS = 10_000_000

/**
 * [L16] A model that plays a script: no language model is asked, and log and answers say so.
 * It keeps nothing: which step comes next is the number of assistant messages in the conversation, so a task goes on after a restart.
 * A script that has nothing for the task, or refers to what the page does not have, is a failure of the model.
 * @throws ScriptError for a script that cannot be played.
 */
export function openScripted(script: string | Script | null, log: Log, id = ID): Model {
  const parts = script === null ? [] : readScript(script)
  if (parts.length > 0 && id === ID)
    log.warn(
      { parts: parts.length },
      'The scripted provider is in use: scripts are played, no language model is asked.',
    )
  return {
    id,
    provider: ID,
    configured: parts.length > 0,
    contextTokens: CONTEXT_TOKENS,
    async ask({ messages, json, tools }, signal) {
      signal.throwIfAborted()
      try {
        const part = partFor(parts, messages)
        if (part && part.thinkMs > 0) await setTimeout(part.thinkMs, undefined, { signal })
        if (json && part) return part.json === null ? failed(SCRIPTED.ended) : reply(part.json, [])
        const finishes = tools.some(({ name }) => name === FINISH)
        const hasReplied = messages.some(({ role }) => role === 'assistant')
        if (finishes && tools.length === 1 && !hasReplied) return answerFrom(part, messages)
        return play(parts, part, messages, finishes)
      } catch (error) {
        if (error instanceof Unresolved) return failed(SCRIPTED.unresolved(error.message))
        throw error
      }
    },
  }
}

function partFor(parts: readonly Part[], messages: readonly Message[]): Part | undefined {
  const task = taskOf(messages)
  return parts.find(({ when }) => when === null || when.test(task))
}

/** `finishes`: the task is ended by its tool. */
function play(
  parts: readonly Part[],
  part: Part | undefined,
  messages: readonly Message[],
  finishes: boolean,
): ModelReply {
  if (parts.length === 0) return failed(REFUSALS.model_not_configured)
  if (!part) return failed(SCRIPTED.noPart)
  const replies = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const last = part.steps.length - 1
  const step = part.steps[replies.length] ?? part.steps[last]
  if (!step || (replies.length > last && !('answer' in step))) return failed(SCRIPTED.ended)
  if ('answer' in step) {
    // Asked to check its answer it gives the same once more: what it is made of came before the first time.
    const answer = `${resolve(step.answer, messages.slice(0, replies[last]))} ${SCRIPTED.mark}`
    return finishes ? reply('', [{ tool: FINISH, input: { success: true, answer } }]) : reply(answer, [])
  }
  const calls = step.calls.map(({ tool, input }) => ({ tool, input: resolveAll(input, messages) }))
  return reply(resolve(step.say, messages), calls)
}

/** [J11] Nothing but an answer is asked for: it is made of what was read before. */
function answerFrom(part: Part | undefined, messages: readonly Message[]): ModelReply {
  const step = part?.steps.at(-1)
  const last = messages.at(-1)
  if (!step || !('answer' in step) || last?.role !== 'user') return failed(SCRIPTED.ended)
  const read: Message = { role: 'tool', results: [{ id: '', tool: '', text: last.text, failed: false, image: null }] }
  const answer = `${resolve(step.answer, [...messages, read])} ${SCRIPTED.mark}`
  return reply('', [{ tool: FINISH, input: { success: true, answer } }])
}

const failed = (message: string): ModelReply => ({
  kind: 'failed',
  message,
  rateLimited: false,
  retryable: false,
  retryAfterMs: null,
})

const reply = (text: string, calls: { tool: string; input: unknown }[]): ModelReply => ({
  kind: 'reply',
  text,
  calls,
  inputTokens: 0,
  outputTokens: 0,
  model: ID,
})
