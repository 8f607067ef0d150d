import type { Message, Model } from '../../actors/runtime/ports.ts'
import { answering } from '../support/answering.ts'

/** What the model says next, by what it has read: calls, or an answer. */
export type Next = { readonly calls: readonly { tool: string; input: Record<string, unknown> }[] } | { answer: string }

/**
 * All results so far that came from the browser, the oldest first, without the marks that say what came from a page: when
 * `finish` is checked, what the service says to it is none.
 */
export const resultsOf = (messages: readonly Message[]): { tool: string; text: string; image: string | null }[] =>
  messages.flatMap((message) =>
    message.role === 'tool'
      ? message.results
          .filter(({ tool }) => tool !== 'finish')
          .map(({ tool, text, image }) => ({ tool, text: text.replace(/<\/?page_content>\n?/g, ''), image }))
      : [],
  )

/** A model that a test plays: it sees how many replies it has given, and what came of them. */
export const modelOf = (play: (turn: number, messages: readonly Message[]) => Next | Promise<Next>): Model => ({
  id: 'played',
  provider: 'test',
  async ask({ messages, tools }) {
    const next = await play(messages.filter(({ role }) => role === 'assistant').length, messages)
    return {
      kind: 'reply',
      ...('answer' in next ? answering(next.answer, tools) : { text: '', calls: next.calls }),
      inputTokens: 1,
      outputTokens: 1,
      model: 'played',
    }
  },
})

export const call = (tool: string, input: Record<string, unknown> = {}): Next => ({ calls: [{ tool, input }] })

/** The reference in the last result whose line matches. */
export function refIn(messages: readonly Message[], line: RegExp): string {
  const text = resultsOf(messages).at(-1)?.text ?? ''
  const found = text.split('\n').find((each) => line.test(each))
  const ref = found && /\[(e\d+)\]/.exec(found)?.[1]
  if (!ref) throw new Error(`No line with a reference matches ${line}:\n${text}`)
  return ref
}
