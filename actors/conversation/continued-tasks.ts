import { journalOf } from '../../machines/journal.ts'
import type { JournalEntry, TaskRecord } from '../../machines/records.ts'
import { withoutPlaceholders } from '../../machines/secrets.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { readableLog, type Store } from '../runtime/ports.ts'
import type { Message } from './model-port.ts'

/** [I10] What a task takes over from those that it continues. */
export interface Earlier {
  readonly messages: readonly Message[]
  /** The address of the page where they ended; `null` where none is known. */
  readonly url: string | null
}
const NOTHING: Earlier = { messages: [], url: null }

/** How many tasks before it the model of a task reads of. */
export const TASKS_BEFORE_MAX = 5
/** What it reads of all of them together, in characters: more of the last one than of those before that. */
export const EARLIER_CHARS_MAX = 6_000
const OF_LAST = { task: 900, answer: 900, url: 200, steps: 900 }
const OF_OTHERS = { task: 150, answer: 150, url: 80, steps: 0 }
const LINE_CHARS_MAX = 120
/** A shorter name of a file is in other words, too. */
const NAME_CHARS_MIN = 4

/**
 * [I10] Of the tasks that a task continues, the oldest first: what was asked, answered and done, and the page where they
 * ended. Of a task that was deleted meanwhile, and of those before it, nothing.
 */
export async function readEarlier(
  { continuesTaskId, workspaceId }: TaskRecord,
  store: Pick<Store, 'log' | 'tasks'>,
  tasksMax = TASKS_BEFORE_MAX,
): Promise<Earlier> {
  const before = continuesTaskId && tasksMax > 0 ? await store.tasks.get(continuesTaskId) : null
  if (before?.workspaceId !== workspaceId) return NOTHING
  const earlier = await readEarlier(before, store, tasksMax - 1)
  const journal = journalOf(await readableLog(store, before.id))
  const url = lastUrlIn(journal) ?? earlier.url
  const text = digestOf(before, journal, url, tasksMax === TASKS_BEFORE_MAX ? OF_LAST : OF_OTHERS)
  return { messages: [...earlier.messages, { role: 'user', text }], url }
}

const lastUrlIn = (journal: readonly JournalEntry[]): string | null =>
  journal.flatMap((entry) => (entry.kind === 'result' && entry.url) || []).at(-1) ?? null

function digestOf(
  { task, answer, secrets, files }: TaskRecord,
  journal: readonly JournalEntry[],
  url: string | null,
  chars: typeof OF_LAST,
): string {
  const hadOwn = (secrets?.length ?? 0) + (files?.length ?? 0) > 0
  const { earlier } = TO_MODEL
  const struck = strikes((files ?? []).map(({ name }) => name))
  return [
    earlier.task(cut(struck(task), chars.task)),
    ...stepsIn(journal, chars.steps, struck),
    earlier.answer(answer === null ? null : cut(struck(answer), chars.answer)),
    ...(url === null ? [] : [earlier.lastPage(cut(struck(url), chars.url))]),
    ...(hadOwn ? [earlier.ownGone] : []),
  ].join('\n\n')
}

/** Secrets and files belong to their task: strikes what names them, in a text or in JSON. */
function strikes(names: readonly string[]): (text: string) => string {
  const { secret, file } = TO_MODEL.earlier
  const spelt = names
    .filter(({ length }) => length >= NAME_CHARS_MIN)
    .flatMap((name) => [name, JSON.stringify(name).slice(1, -1)])
  return (text) => spelt.reduce((left, name) => left.replaceAll(name, () => file), withoutPlaceholders(text, secret))
}

/** The last calls that fit, a line for each; of a question also what its user answered. */
function stepsIn(journal: readonly JournalEntry[], charsMax: number, struck: (text: string) => string): string[] {
  const failed = new Set(journal.flatMap((entry) => (entry.kind === 'result' && entry.failed ? [entry.requestId] : [])))
  const answers = new Map(journal.flatMap((entry) => (entry.kind === 'result' ? [[entry.requestId, entry.text]] : [])))
  const lines: string[] = []
  let left = charsMax
  for (const entry of journal.toReversed()) {
    if (entry.kind !== 'reply') continue
    for (const { requestId, tool, input } of entry.calls.toReversed()) {
      if (tool === 'finish') continue
      const answer = tool === 'ask_user' ? cut(` ${struck(answers.get(requestId) ?? '')}`, LINE_CHARS_MAX) : ''
      const line =
        cut(`- ${tool} ${struck(JSON.stringify(input))}`, LINE_CHARS_MAX) +
        (failed.has(requestId) ? ' (failed)' : answer)
      left -= line.length + 1
      if (left < 0) return lines.length === 0 ? [] : [TO_MODEL.earlier.steps(lines)]
      lines.unshift(line)
    }
  }
  return lines.length === 0 ? [] : [TO_MODEL.earlier.steps(lines)]
}

const cut = (text: string, chars: number) => (text.length <= chars ? text : `${text.slice(0, chars - 1)}…`)
