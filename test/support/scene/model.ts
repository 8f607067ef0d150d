import type { Model, ModelReply, ModelRequest } from '../../../actors/runtime/ports.ts'

export type Asked = {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  /** [L37] Says a piece of the reply. */
  readonly says: (textSoFar: string) => void
  readonly answer: (reply: ModelReply) => void
  readonly throws: (error: Error) => void
}

/** A reply that asks for tools. */
export const calling = (...calls: readonly (readonly [tool: string, input: unknown])[]): ModelReply => ({
  kind: 'reply',
  text: 'Let me see.',
  calls: calls.map(([tool, input]) => ({ tool, input })),
  inputTokens: 100,
  outputTokens: 10,
  model: 'test-model',
})

/** A reply without a tool call: the answer. */
export const saying = (text: string): ModelReply => ({
  kind: 'reply',
  text,
  calls: [],
  inputTokens: 100,
  outputTokens: 10,
  model: 'test-model',
})

export const failing = (
  message: string,
  fields: Partial<Extract<ModelReply, { kind: 'failed' }>> = {},
): ModelReply => ({
  kind: 'failed',
  message,
  rateLimited: false,
  retryable: true,
  retryAfterMs: null,
  ...fields,
})

/** A model that waits to be told, or follows a script of its own. */
export class SceneModel implements Model {
  readonly id = 'test-model'
  readonly provider = 'scene'
  /** What it was asked and has not answered. */
  waiting: Asked[] = []
  /** How often it was asked. */
  asked = 0
  last: ModelRequest | null = null
  script: ((request: ModelRequest) => ModelReply) | null = null
  /** Whether it gives up when it is told to. */
  heedsAbort = true

  ask(request: ModelRequest, signal: AbortSignal, hear: (textSoFar: string) => void = () => {}): Promise<ModelReply> {
    this.asked++
    this.last = request
    if (signal.aborted) return Promise.reject(new Error('aborted'))
    if (this.script) {
      const script = this.script
      return new Promise((resolve) => resolve(script(request)))
    }
    return new Promise((resolve, reject) => {
      const asked = { request, signal, says: hear, answer: resolve, throws: reject }
      this.waiting.push(asked)
      signal.addEventListener('abort', () => {
        this.waiting = this.waiting.filter((other) => other !== asked)
        if (this.heedsAbort) reject(new Error('aborted'))
      })
    })
  }

  /** Answers the oldest question. */
  answer(reply: ModelReply): void {
    const asked = this.waiting.shift()
    if (!asked) throw new Error('The model is not asked')
    asked.answer(reply)
  }

  throws(message: string): void {
    const asked = this.waiting.shift()
    if (!asked) throw new Error('The model is not asked')
    asked.throws(new Error(message))
  }
}
