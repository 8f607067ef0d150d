import type { Message, Model, ModelReply } from '../actors/runtime/ports.ts'
import { answering } from '../test/support/answering.ts'

/**
 * What a task of the bench asks of its model is in its text: `bench <session> <steps>`, or `hang` for the steps. Each
 * step is one call; one task at a time runs in a session, so the session identifies it.
 */
export const taskText = (sessionId: string, steps: number | 'hang'): string => `bench ${sessionId} ${steps}`

const JOB = /^bench (\S+) (\d+|hang)/

export function jobOf(text: string): { readonly sessionId: string; readonly steps: number | 'hang' } | null {
  const found = JOB.exec(text)
  if (!found) return null
  const [, sessionId = '', steps = ''] = found
  return { sessionId, steps: steps === 'hang' ? steps : Number(steps) }
}

/** The user's own text in a conversation. */
export const textOf = ([first]: readonly Message[]): string => (first?.role === 'user' ? first.text : '')

/** The call of a step. Each one differs: the same call again and again would end the task. */
export const callOf = (step: number) => ({ tool: 'find', input: { query: `price of article ${step}` } })
export const ANSWER = 'The prices are read.'

/** What a browser returns for it. */
export const OUTPUT = [
  'Found 3 of 3:',
  ...[1, 2, 3].map((n) => `[e${n}] cell "Article ${n}, 12 pieces" (visible, not covered, at 120,${n}40, size 320x40)`),
].join('\n')

const usage = { inputTokens: 1_000, outputTokens: 20, model: 'bench-model' }

/** A model in the process that answers after `ms` ± 50 %; at once when 0. */
export const modelAnsweringAfter = (ms: number): Model => ({
  id: usage.model,
  provider: 'bench',
  async ask({ messages, tools }, signal): Promise<ModelReply> {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())))
    const steps = jobOf(textOf(messages))?.steps ?? 0
    if (steps === 'hang') {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    }
    const step = messages.filter(({ role }) => role === 'assistant').length + 1
    if (step > steps) return { kind: 'reply', ...answering(ANSWER, tools), ...usage }
    return { kind: 'reply', text: `Step ${step}.`, calls: [callOf(step)], ...usage }
  },
})
