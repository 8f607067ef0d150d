import * as v from 'valibot'
import { domainOf } from '../../machines/domains.ts'
import { AT, SESSION, TASK, WORKSPACE } from './example-values.ts'

/** The kinds of field that requests and answers are made of. Messages follow the field's name: `label must be a string`. */

/**
 * A field with its text in the API reference.
 * @param meaning what it means; or the field that means the same, with its example
 * @param examples one, unless the field is made of fields that have their own
 */
// @__NO_SIDE_EFFECTS__
export function field<const Schema extends v.GenericSchema>(
  schema: Schema,
  meaning: string | v.GenericSchema,
  ...examples: v.InferInput<Schema>[]
): Schema {
  const text =
    typeof meaning === 'string'
      ? { description: meaning, ...(examples.length > 0 && { examples }) }
      : v.getMetadata(meaning)
  return v.pipe(schema, v.metadata(text)) as unknown as Schema
}

/** The message of what was left out or left blank; the code is then `<field>_required`. */
export const REQUIRED = 'is required'

/** What is wrong with an object of these fields; or with the field that it should not have, or lacks. */
export const objectOf =
  (names: string) =>
  ({ expected, received }: v.StrictObjectIssue): string =>
    expected === 'never' ? 'is unknown' : received === 'undefined' ? 'is missing' : `must be an object of ${names}`

/** A text with a maximum length in UTF-16 units. */
export const text = (charsMax: number) =>
  v.pipe(v.string('must be a string'), v.maxLength(charsMax, `must be at most ${charsMax} characters`))

/** A text with a minimum length in UTF-16 units. */
export const filledText = (charsMin: number, charsMax: number) =>
  v.pipe(text(charsMax), v.minLength(charsMin, `must be at least ${charsMin} characters`))

/** A text that is not blank. What is blank counts as left out, before its length is looked at. */
export const words = (charsMax: number) =>
  v.pipe(
    v.string('must be a string'),
    v.regex(/\S/, REQUIRED),
    v.maxLength(charsMax, `must be at most ${charsMax} characters`),
  )

/** A URL that parses, without control characters: parsers leave some of them out, and what is kept would be another text. */
export const url = (charsMax: number) =>
  v.pipe(
    text(charsMax),
    v.check((value) => !/\p{Cc}/u.test(value), 'must be a valid URL'),
    v.url('must be a valid URL'),
  )

/** [T6, U9, W10] A URL that parses and can be posted to. */
export const httpUrl = (charsMax: number) =>
  v.pipe(
    url(charsMax),
    v.check((value) => /^https?:$/.test(new URL(value).protocol), 'must be an http or https URL'),
    // It is shown, and kept as it is.
    v.check((value) => {
      const { username, password } = new URL(value)
      return username === '' && password === ''
    }, 'must not contain a user name or password'),
  )

/** Absent and null are one: null. */
export const absentable = <const Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema, null)

const wrongInteger = (min: number, max: number) => `must be an integer from ${min} to ${max}`
export const integer = (min: number, max: number) =>
  v.pipe(
    v.number(wrongInteger(min, max)),
    v.integer(wrongInteger(min, max)),
    v.minValue(min, wrongInteger(min, max)),
    v.maxValue(max, wrongInteger(min, max)),
  )

const wrongAmount = (max: number) => `must be a number above 0, and at most ${max}`
/** An amount of US dollars. */
export const dollars = (max: number) =>
  v.pipe(v.number(wrongAmount(max)), v.gtValue(0, wrongAmount(max)), v.maxValue(max, wrongAmount(max)))

const DOMAIN_WORDS =
  'must be a list of domains such as example.com, *.example.com or example.com:8443; *. stands before a domain, not before an address or a top-level domain'
/** Domains, each in its one spelling. */
export const domains = (max: number) => listOf(max, v.pipe(v.string(DOMAIN_WORDS), v.rawTransform(asDomain)))

/** [F1] The only entry of `allowed_domains` of a task that may go everywhere. */
export const EVERYWHERE = '*'

/** Domains, or EVERYWHERE alone. */
export const domainsOrAll = (max: number) =>
  v.pipe(
    listOf(
      max,
      v.union([v.literal(EVERYWHERE), v.pipe(v.string(DOMAIN_WORDS), v.rawTransform(asDomain))], DOMAIN_WORDS),
    ),
    v.check((given) => given.length === 1 || !given.includes(EVERYWHERE), `must have nothing beside "${EVERYWHERE}"`),
  )

const listOf = <Item extends v.GenericSchema<string, string>>(max: number, item: Item) =>
  v.pipe(
    v.array(item, DOMAIN_WORDS),
    v.minLength(1, 'must name at least one domain'),
    v.maxLength(max, `must name at most ${max} domains`),
  )

function asDomain({ dataset, addIssue, NEVER }: v.RawTransformContext<string>): string {
  const domain = domainOf(dataset.value)
  if (domain !== null) return domain
  addIssue({ message: DOMAIN_WORDS })
  return NEVER
}

// In answers
export const uuid = v.pipe(v.string(), v.uuid())
export const ms = v.pipe(v.number(), v.integer())
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))

// Fields that mean the same wherever they stand
export const id = field(uuid, 'The id.', TASK)
export const workspace_id = field(v.string(), 'The workspace.', WORKSPACE)
export const task_id = field(uuid, 'The task that it tells of.', TASK)
export const at = field(ms, 'When it happened, in milliseconds since 1970.', AT)
export const created_at = field(ms, 'When it was created, in milliseconds since 1970.', AT)
export const expires_at = field(ms, 'When it expires, in milliseconds since 1970.', AT + 300_000)
export const browser_session_id = field(
  v.string(),
  'The browser in which the task runs; of a task that waits for one of a pool empty. A start names it, or a pool.',
  SESSION,
)
export const first_url = field(v.nullable(v.string()), 'The page to open first.', 'https://shop.example/')
