import { setTimeout } from 'node:timers/promises'
import { type Attempt, answered, type Tenant } from './tenant.ts'

/** An event as clients read it. */
interface Seen {
  readonly seq: number
  readonly type: string
  readonly step?: number
  readonly call_id?: string
  readonly answer?: string
}

/** What happens once in a task, or once for each step or call. */
const ONCE = ['task.created', 'step.started', 'model.replied', 'tool.called', 'tool.result', 'task.ended']

/**
 * [V1] Reads the log of a task over whatever processes wrote it: numbered without a gap, nothing told twice, nothing
 * changed of what was read before; of a task that has ended, its end and nothing after it. Resolves to what is wrong.
 */
export async function readEvents(tenant: Tenant, attempt: Attempt): Promise<string[]> {
  const wrong: string[] = []
  const about = (what: string) => wrong.push(`events: ${what} of task ${attempt.id} of ${tenant.name}`)
  const ended = attempt.final === null ? null : JSON.parse(attempt.final)
  const page = () => answered(() => tenant.api.get(`/v1/tasks/${attempt.id}/events?limit=1000`))
  let { status, json } = await page()
  // MongoDB writes the last event right after the record.
  if (status === 200 && ended && json.events.at(-1)?.type !== 'task.ended')
    ({ status, json } = await setTimeout(100).then(page))
  if (status !== 200) return [`events: ${status} for task ${attempt.id} of ${tenant.name}`]
  const events = json.events as Seen[]
  const texts = events.map((event) => JSON.stringify(event))
  for (const [index, { seq }] of events.entries()) if (seq !== index + 1) about(`${seq} is at ${index + 1}`)
  for (const [index, text] of attempt.events.entries())
    if (texts[index] !== text) about(`${text} is now ${texts[index]}`)
  attempt.events = texts
  const once = events.filter(({ type }) => ONCE.includes(type))
  const keys = once.map(({ type, step = '', call_id = '' }) => `${type} ${step} ${call_id}`)
  for (const key of new Set(keys.filter((key, index) => keys.indexOf(key) !== index))) about(`${key} is there twice`)
  if (events[0]?.type !== 'task.created') about(`${events[0]?.type} is the first event`)
  const last = events.at(-1)
  if (ended && last?.type !== 'task.ended') about(`${last?.type} is the last event`)
  if (ended && last?.answer !== ended.answer) about(`another answer is the last event`)
  return wrong
}
