import { TO_MODEL } from '../../machines/failures.ts'
import type { TaskRecord } from '../../machines/records.ts'
import type { Store } from '../runtime/ports.ts'
import { Conversation } from './conversation.ts'
import type { Message, MessageResult } from './model-port.ts'

/** [I10] What a task takes over from those that it continues. */
export interface Earlier {
  readonly messages: readonly Message[]
  /** The address of the page where they ended; `null` where none is known. */
  readonly url: string | null
}
const NOTHING: Earlier = { messages: [], url: null }

/** How many tasks before it the model of a task reads: the conversation of each is read from its journal. */
export const TASKS_BEFORE_MAX = 5

/**
 * [I10] Of the tasks that a task continues, the oldest first: their conversations without screenshots, and the page where they
 * ended. Of a task that was deleted meanwhile, and of those before it, nothing.
 */
export async function readEarlier(
  { continuesTaskId, workspaceId }: TaskRecord,
  contextTokens: number,
  store: Pick<Store, 'journal' | 'steps' | 'tasks'>,
  tasksMax = TASKS_BEFORE_MAX,
): Promise<Earlier> {
  const before = continuesTaskId && tasksMax > 0 ? await store.tasks.get(continuesTaskId) : null
  if (before?.workspaceId !== workspaceId) return NOTHING
  const earlier = await readEarlier(before, contextTokens, store, tasksMax - 1)
  const conversation = await Conversation.restore(before, contextTokens, store, earlier)
  return { messages: withAnswers(conversation.reducedWithoutImages()), url: conversation.lastUrl ?? earlier.url }
}

/** Every call has an answer: the last ones of a task, such as `finish`, have none in its journal. */
function withAnswers(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const last = messages[at]
  if (last?.role !== 'assistant') return messages
  const next = messages[at + 1]
  const given = next?.role === 'tool' ? next.results : []
  const missing = last.calls
    .filter(({ id }) => !given.some((result) => result.id === id))
    .map(({ id, tool }): MessageResult => {
      const finished = tool === 'finish'
      const text = finished ? TO_MODEL.ended : TO_MODEL.notExecuted
      return { id, tool, text, failed: !finished, image: null }
    })
  if (missing.length === 0) return messages
  const answered: Message = { role: 'tool', results: [...given, ...missing] }
  return [...messages.slice(0, at + 1), answered, ...messages.slice(at + (given.length > 0 ? 2 : 1))]
}
