import type { ModelReply, ModelRequest } from '../../actors/runtime/ports.ts'

/** An answer as a model gives it: by `finish` where it has that tool, else in words. */
export function answering(text: string, tools: readonly { readonly name: string }[]) {
  const finishes = tools.some(({ name }) => name === 'finish')
  const calls = [{ tool: 'finish', input: { success: true, answer: text } }]
  return finishes ? { text: '', calls } : { text, calls: [] }
}

/** A model's whole reply with an answer. */
export const answer = (text: string, { tools }: Pick<ModelRequest, 'tools'>, model = 'played'): ModelReply => ({
  ...{ kind: 'reply', inputTokens: 1, outputTokens: 1, model },
  ...answering(text, tools),
})
