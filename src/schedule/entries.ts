import * as v from 'valibot'
import { CONTEXT_CHARS_MAX, TASK_CHARS_MAX, URL_CHARS_MAX } from '../wire/limits.ts'
import { entryLines, parseComplaint } from './lines.ts'

/** One job of a schedule file, checked. */
export interface ScheduleEntry {
  /** Its place in the file, from 1, as errors and log lines name it. */
  readonly number: number
  readonly line: number
  readonly cron: string
  /** The name or the id of a workspace. */
  readonly workspace: string
  readonly session: string
  readonly task: string
  readonly url: string | null
  readonly context: string | null
}

/** A schedule that cannot be run. The message is one line: file, line, entry and field, and what is accepted. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError'
}

const chars = (max: number) =>
  v.pipe(
    v.string(`a text of at most ${max} characters`),
    v.maxLength(max, `a text of at most ${max} characters`),
    v.check((text) => text.trim() !== '', 'a text that is not blank'),
  )

const entrySchema = (isCron: (text: string) => boolean) =>
  v.strictObject(
    {
      cron: v.pipe(
        v.string('a cron expression'),
        v.check(isCron, 'a cron expression of 5 or 6 fields that ever comes'),
      ),
      workspace: v.pipe(v.string('the name or id of a workspace'), v.nonEmpty('the name or id of a workspace')),
      session: v.pipe(v.string('the id of a browser session'), v.uuid('the id of a browser session')),
      task: chars(TASK_CHARS_MAX),
      url: v.nullish(
        v.pipe(
          v.string('a URL'),
          v.maxLength(URL_CHARS_MAX, `a URL of at most ${URL_CHARS_MAX} characters`),
          v.check((text) => URL.canParse(text), 'a URL'),
        ),
      ),
      context: v.nullish(chars(CONTEXT_CHARS_MAX)),
    },
    (issue) => (issue.expected === 'never' ? 'no field of this name' : 'an object'),
  )

/**
 * Reads a schedule: a JSON array of jobs, or `{"jobs": [...]}`.
 * @throws ScheduleError for the first thing in it that is wrong.
 */
export function readEntries(file: string, json: string, isCron: (text: string) => boolean): ScheduleEntry[] {
  const jobs = listOf(file, json)
  const lines = entryLines(json)
  const schema = entrySchema(isCron)
  return jobs.map((job, index) => {
    const number = index + 1
    const parsed = v.safeParse(schema, job)
    if (!parsed.success) {
      const [issue] = parsed.issues
      const field = issue.path ? String(issue.path[0]?.key) : null
      const accepted = issue.received === 'undefined' ? 'it is missing' : `expected ${issue.message}`
      throw entryError(file, { number, line: lines.lineOf(index, field) }, field, accepted)
    }
    const { url, context, ...rest } = parsed.output
    return { ...rest, url: url ?? null, context: context ?? null, number, line: lines.lineOf(index, null) }
  })
}

/** What is wrong with one entry, in the words of every such error. */
export function entryError(
  file: string,
  entry: { readonly number: number; readonly line: number },
  field: string | null,
  what: string,
): ScheduleError {
  const where = field === null ? '' : `, field ${JSON.stringify(field)}`
  return new ScheduleError(`SCHEDULE_FILE ${file}, line ${entry.line}: job ${entry.number}${where}: ${what}`)
}

function listOf(file: string, json: string): readonly unknown[] {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch (error) {
    throw new ScheduleError(`SCHEDULE_FILE ${file} is not valid JSON${parseComplaint(json, error)}`)
  }
  const list = v.safeParse(v.union([v.array(v.unknown()), v.object({ jobs: v.array(v.unknown()) })]), document)
  if (!list.success) {
    throw new ScheduleError(`SCHEDULE_FILE ${file}: expected a list of jobs, or an object with such a list as "jobs"`)
  }
  return Array.isArray(list.output) ? list.output : list.output.jobs
}
