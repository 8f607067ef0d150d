import type { Log } from '../../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import { reasonOf, StoreUnwritable } from '../errors.ts'
import { MONGODB_CALL_MS_MAX } from '../limits.ts'
import { MongoError, MongoUrlInvalid, refusalOf } from './client.ts'
import { limited } from './stuck-monitor.ts'

const UNAUTHORIZED = 13
const AUTHENTICATION_FAILED = [18, 8_000]
const TOO_LARGE = 10_334

/** What went wrong, in a sentence that a tenant may read: without hosts, and without the driver's words, which name them. */
function unwritable(error: unknown): StoreUnwritable | null {
  const about = (message: string) => new StoreUnwritable(message, { cause: error })
  if (isTooLarge(error)) return about('This is larger than the database can keep: at most 16 MB in one document.')
  if (isOfTheWire(error)) return about('The database cannot be reached.')
  if (error instanceof MongoError) {
    const { code, codeName } = refusalOf(error)
    return about(`The database refused a call (${codeName ?? code ?? error.name}).`)
  }
  return null
}

/** A call has had its time. */
export const noAnswer = () =>
  Object.assign(new Error(`no answer within ${MONGODB_CALL_MS_MAX / SECOND_MS} s`), { code: 'ETIMEDOUT' })

/** Why a store could not be opened, as the operator reads it. */
export function unopened(hosts: string, error: unknown): Error {
  const { code } = error as { code?: unknown }
  const because = { cause: error }
  if (AUTHENTICATION_FAILED.includes(code as number))
    return new MongoUrlInvalid(`MongoDB at ${hosts} refused the user or the password of MONGODB_URL.`, because)
  if (code === UNAUTHORIZED)
    return new MongoUrlInvalid(`The user of MONGODB_URL lacks rights at ${hosts}: ${reasonOf(error)}`, because)
  if (isOfTheWire(error))
    return new StoreUnwritable(`MongoDB at ${hosts} cannot be reached: ${reasonOf(error)}`, because)
  return error as Error
}

/** The driver cannot write a document that is too large into its buffer, or refuses it, or the server does. */
function isTooLarge(error: unknown): boolean {
  if (error instanceof RangeError || refusalOf(error).code === TOO_LARGE) return true
  return error instanceof MongoError && (error.cause instanceof RangeError || /max bson/.test(error.message))
}

/** Whether the server did not answer: what it answers has a number, what happens to sockets a word, if anything. */
function isOfTheWire(error: unknown): boolean {
  const { code } = refusalOf(error)
  return typeof code !== 'number' && (error instanceof MongoError || typeof code === 'string')
}

/** The same object, whose calls are over in time, and fail with `unwritable`. The log has what the driver says. */
export function worded<Room extends object>(room: Room, hosts: string, log: Log | undefined): Room {
  let away = false
  const answered = <T>(answer: T): T => {
    if (away) log?.info({ hosts }, 'MongoDB answers again.')
    away = false
    return answer
  }
  const rejected = (error: unknown): never => {
    const known = unwritable(error)
    if (!known) throw error
    // Of one outage every call would say the same.
    const wire = isOfTheWire(error)
    if (!(wire && away)) log?.warn({ hosts, reason: reasonOf(error) }, 'MongoDB refused a call.')
    away ||= wire
    throw known
  }
  async function* iterated(rows: AsyncIterable<unknown>) {
    try {
      yield* rows
    } catch (error) {
      rejected(error)
    }
  }
  const wrap = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) return wrapped(value)
    if (typeof value !== 'function') return value
    return (...args: unknown[]) => {
      const answer: unknown = value(...args)
      // The driver has no limit of its own for a whole call: since 7.9 its `timeoutMS` is without effect.
      if (answer instanceof Promise) return limited(answer, MONGODB_CALL_MS_MAX, noAnswer).then(answered, rejected)
      const rows = answer as AsyncIterable<unknown> | null
      return typeof rows === 'object' && rows?.[Symbol.asyncIterator] ? iterated(rows) : answer
    }
  }
  const wrapped = (object: object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, wrap(value)]))
  return wrapped(room) as Room
}
