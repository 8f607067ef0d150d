import type { Message, Model, ModelReply } from '../../../actors/ports.ts'

/**
 * What a task of the bench asks of its model is in its words: `bench <session> <steps>`, or `hang` for the steps. Every
 * step is one call; one task at a time works in a session, so that the session names it.
 */
export const taskOf = (sessionId: string, steps: number | 'hang'): string => `bench ${sessionId} ${steps}`

const JOB = /^bench (\S+) (\d+|hang)/

export function jobOf(text: string): { readonly sessionId: string; readonly steps: number | 'hang' } | null {
  const found = JOB.exec(text)
  if (!found) return null
  const [, sessionId = '', steps = ''] = found
  return { sessionId, steps: steps === 'hang' ? steps : Number(steps) }
}

export const wordsOf = ([first]: readonly Message[]): string => (first?.role === 'user' ? first.text : '')

/** The call of a step. Each is another one: the same call again and again would end the task. */
export const callOf = (step: number) => ({ tool: 'find', input: { query: `price of article ${step}` } })
export const ANSWER = 'The prices are read.'

/** What a browser says to it. */
export const OUTPUT = [
  'Found 3 of 3:',
  ...[1, 2, 3].map((n) => `[e${n}] cell "Article ${n}, 12 pieces" (visible, not covered, at 120,${n}40, size 320x40)`),
].join('\n')

const usage = { inputTokens: 1_000, outputTokens: 20, model: 'bench-model' }
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** A model in the process that answers at once, or after it thought for so long on average: from half of it to half more. */
export const modelThat = (thinksMs: number): Model => ({
  id: usage.model,
  provider: 'bench',
  async ask({ messages }, signal): Promise<ModelReply> {
    if (thinksMs > 0) await new Promise((resolve) => setTimeout(resolve, thinksMs * (0.5 + Math.random())))
    const steps = jobOf(wordsOf(messages))?.steps ?? 0
    if (steps === 'hang') return never(signal)
    // The user's words, then a reply and its result for each step.
    const step = (messages.length + 1) / 2
    if (step > steps) return { kind: 'reply', text: ANSWER, calls: [], ...usage }
    return { kind: 'reply', text: `Step ${step}.`, calls: [callOf(step)], ...usage }
  },
})
