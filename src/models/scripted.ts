import { setTimeout } from 'node:timers/promises'
import type { Log, Message, Model, ModelReply } from '../../actors/runtime/ports.ts'
import { REFUSALS, SCRIPTED } from '../../machines/failures.ts'
import { resolve, resolveAll, taskOf, Unresolved } from './script/references.ts'
import { type Part, readScript, type Script } from './script/script.ts'

const ID = 'scripted'
/** A script does not read: nothing is ever shortened for it. */
const CONTEXT_TOKENS = 10_000_000

/**
 * [L16] A model that plays a script: no language model is asked, and log and answers say so.
 * It keeps nothing: which step comes next is the number of assistant messages in the conversation, so a task goes on after a restart.
 * A script that has nothing for the task, or refers to what the page does not have, is a failure of the model.
 * @throws ScriptError for a script that cannot be played.
 */
export function openScripted(script: string | Script | null, log: Log): Model {
  const parts = script === null ? [] : readScript(script)
  log.warn({ parts: parts.length }, 'The scripted provider is in use: scripts are played, no language model is asked.')
  return {
    id: ID,
    provider: ID,
    configured: parts.length > 0,
    contextTokens: CONTEXT_TOKENS,
    async ask({ messages, json }, signal) {
      signal.throwIfAborted()
      try {
        const part = partFor(parts, messages)
        if (part && part.thinkMs > 0) await setTimeout(part.thinkMs, undefined, { signal })
        if (json && part) return part.json === null ? failed(SCRIPTED.ended) : reply(part.json, [])
        return play(parts, part, messages)
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

function play(parts: readonly Part[], part: Part | undefined, messages: readonly Message[]): ModelReply {
  if (parts.length === 0) return failed(REFUSALS.model_not_configured)
  if (!part) return failed(SCRIPTED.noPart)
  const step = part.steps[messages.filter((message) => message.role === 'assistant').length]
  if (!step) return failed(SCRIPTED.ended)
  if ('answer' in step) return answer(resolve(step.answer, messages))
  const calls = step.calls.map(({ tool, input }) => ({ tool, input: resolveAll(input, messages) }))
  return reply(resolve(step.say, messages), calls)
}

const failed = (message: string): ModelReply => ({
  kind: 'failed',
  message,
  rateLimited: false,
  retryable: false,
  retryAfterMs: null,
})

const answer = (text: string): ModelReply => reply(`${text} ${SCRIPTED.mark}`, [])

const reply = (text: string, calls: { tool: string; input: unknown }[]): ModelReply => ({
  kind: 'reply',
  text,
  calls,
  inputTokens: 0,
  outputTokens: 0,
  model: ID,
})
