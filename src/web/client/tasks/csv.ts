import type { TaskSummary } from '../api.ts'

const COLUMNS: readonly (readonly [name: string, of: (task: TaskSummary) => unknown])[] = [
  ['id', ({ id }) => id],
  ['created_at', (task) => new Date(task.created_at).toISOString()],
  ['completed_at', (task) => (task.completed_at === null ? '' : new Date(task.completed_at).toISOString())],
  ['status', ({ status }) => status],
  ['ended_by', (task) => task.ended_by],
  ['task', ({ task }) => task],
  ['url', ({ url }) => url],
  ['answer', ({ answer }) => answer],
  ['output', ({ output }) => (output === null ? '' : JSON.stringify(output))],
  ['steps', ({ steps }) => steps],
  ['cost_usd', (task) => task.cost_usd],
  ['browser_session_id', (task) => task.browser_session_id],
  ['metadata', ({ metadata }) => JSON.stringify(metadata)],
]

/** Tasks as a table that spreadsheets open (RFC 4180). */
export const csvOf = (tasks: readonly TaskSummary[]): string =>
  [COLUMNS.map(([name]) => name), ...tasks.map((task) => COLUMNS.map(([, of]) => cell(of(task))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')

/** What pages and models wrote is text: a spreadsheet must not take it for a formula. */
function cell(value: unknown): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
