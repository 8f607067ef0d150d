import { Conversation } from '../../actors/conversation/conversation.ts'
import type { Message, MessageResult } from '../../actors/runtime/ports.ts'
import type { JournalEntry } from '../../machines/records.ts'
import { THEN } from './scene.ts'
import { anEntry, aTask } from './stores.ts'

/** Conversations of tasks, and the entries of a journal that they are made of. */

export const CONTEXT = 200_000
type Result = Extract<JournalEntry, { kind: 'result' }>
type Reply = Extract<JournalEntry, { kind: 'reply' }>
export const reply = (step: number, ...ids: string[]): Reply => ({
  kind: 'reply',
  step,
  text: `step ${step}`,
  calls: ids.map((requestId) => ({ requestId, tool: 'find', input: {}, refusal: null })),
  usage: { inputTokens: 0, outputTokens: 0, apiCalls: 1 },
  model: 'm',
  at: THEN,
})
export const result = (requestId: string, text: string, screenshot: number | null = null): Result => ({
  ...anEntry(text),
  requestId,
  screenshot,
})
export const results = (messages: readonly Message[]): MessageResult[] =>
  messages.flatMap((message) => (message.role === 'tool' ? message.results : []))

/** A conversation of so many steps, each with one result that the text gives, and a screenshot where it is wanted. */
export function steps(
  texts: readonly string[],
  screenshots = false,
): { conversation: Conversation; entries: JournalEntry[] } {
  const conversation = new Conversation(aTask(), CONTEXT)
  const entries: JournalEntry[] = []
  texts.forEach((text, i) => {
    const [asked, came] = [reply(i + 1, `r${i}`), result(`r${i}`, text, screenshots ? i : null)]
    conversation.addReply(asked)
    conversation.addResult(came, screenshots ? Buffer.from(`image ${i}`).toString('base64') : null)
    entries.push(asked, came)
  })
  return { conversation, entries }
}
