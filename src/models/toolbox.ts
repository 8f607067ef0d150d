import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Asks, CheckedOutput, OutputSchema, Toolbox, ToolSpec } from '../../actors/runtime/ports.ts'
import { misfits } from '../wire/schema-check.ts'
import { ANNOUNCED_TOOLS, askUser, finish, OWN_TOOLS, SEVEN_TOOLS, type Tool } from '../wire/tools.ts'
import { meant } from './meant-input.ts'

const byName = new Map<string, Tool>(
  [...SEVEN_TOOLS, ...ANNOUNCED_TOOLS, ...OWN_TOOLS, finish, askUser].map((tool) => [tool.name, tool]),
)

const spec = ({ name, description, input }: Tool): ToolSpec => {
  const { $schema: _, ...schema } = toJsonSchema(input, { target: 'draft-07', errorMode: 'throw' })
  return { name, description, schema }
}

/** [L31] `finish` with an output of the task's own schema. */
function finishSpec(output: OutputSchema): ToolSpec {
  const { name, description, schema } = spec(finish)
  const words = [OUTPUT_WORDS, output.description].filter((each) => typeof each === 'string').join(' ')
  const properties = { ...(schema.properties as object), output: { ...output, description: words } }
  return { name, description, schema: { ...schema, properties } }
}

/** [Z14] */
const withSignedOut = (finish: ToolSpec): ToolSpec => {
  const properties = { ...(finish.schema.properties as object), signed_out: SIGNED_OUT }
  return { ...finish, schema: { ...finish.schema, properties } }
}
const SIGNED_OUT = {
  type: 'boolean',
  description:
    'true, with success false, when the site asks to sign in: this task is meant to be signed in already. Do not sign in.',
}

const NO_ASKS: Asks = { asksUser: false, approves: false }

/** [I6] The model says of what acts whether it can be undone. It can only raise what the service judges itself. */
function withIntent(tool: Tool): ToolSpec {
  const made = spec(tool)
  if (!tool.hasIntent) return made
  const intent = { type: 'string', enum: ['ordinary', 'irreversible'], description: INTENT_WORDS }
  return { ...made, schema: { ...made.schema, properties: { ...(made.schema.properties as object), intent } } }
}

const INTENT_WORDS =
  'irreversible when this pays, orders, books, sends, publishes, deletes or submits something: the user is asked first.'
const OUTPUT_WORDS =
  'The result as data; required when success is true. Every value as the pages show it. Never make a value up: what the pages do not show is null, or left out.'

const lists = new Map<string, readonly ToolSpec[]>()
const listsWithOutput = new WeakMap<OutputSchema, Map<string, readonly ToolSpec[]>>()

const here: Toolbox['misfit'] = async (_, schema, output) => misfits(schema, output)

/**
 * The tools as the model sees them, and the check of what it asks for; `misfit` checks outputs, which may take for ever.
 * `check` never throws. What it lets through is the input as it was meant, without fields that the tool does not have and
 * without optional fields that are `null` (many models write `null` for what they leave out).
 */
export const createToolbox = (misfit: Toolbox['misfit'] = here): Toolbox => ({
  misfit,
  specs(announced, output = null, asks = NO_ASKS) {
    const more = ANNOUNCED_TOOLS.filter(({ name }) => announced?.includes(name))
    const browser = announced === null ? 'protocol 1' : more.map(({ name }) => name).join(' ')
    const key = `${browser}${asks.asksUser ? ' asks' : ''}${asks.approves ? ' approves' : ''}${asks.hasSignIn ? ' signed in' : ''}`
    const kept = output === null ? lists : (listsWithOutput.get(output) ?? new Map<string, readonly ToolSpec[]>())
    if (output !== null) listsWithOutput.set(output, kept)
    const known = kept.get(key)
    if (known) return known
    const ends = output !== null ? [finishSpec(output)] : announced === null ? [] : [spec(finish)]
    const own = [
      ...(announced === null ? [] : OWN_TOOLS.map(spec)),
      ...(asks.hasSignIn ? ends.map(withSignedOut) : ends),
    ]
    const acting = [...SEVEN_TOOLS, ...more].map(asks.approves ? withIntent : spec)
    const list = [...acting, ...(asks.asksUser ? [spec(askUser)] : []), ...own]
    kept.set(key, list)
    return list
  },
  check(name, input, output = null, asksUser = false) {
    const tool = byName.get(name)
    if (!tool || (tool === askUser && !asksUser))
      return refused(
        `There is no tool "${name}". The tools are ${[...byName.keys()].filter((each) => each !== askUser.name || asksUser).join(', ')}.`,
      )
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return refused(`The input of ${name} must be an object.`)
    }
    const present = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    const given = meant(tool, present)
    const parsed = v.safeParse(tool.input, given, { abortEarly: true })
    if (!parsed.success) return refused(`${name}: ${sentence(parsed.issues[0], given)}`)
    if (tool === finish && output) return withOutput(parsed.output, given.output, output)
    return { ok: true, input: parsed.output }
  },
})
export const toolbox = createToolbox()

/** [L32] Success has an output that fits. Without success there need be none, and one that does not fit is left out. */
function withOutput(input: Record<string, unknown>, output: unknown, { misfit }: CheckedOutput) {
  const wrong = output === undefined ? 'it is missing' : misfit
  if (wrong === null) return { ok: true as const, input: { ...input, output } }
  if (input.success !== true) return { ok: true as const, input }
  return { ...refused(`finish: the output does not fit its schema: ${wrong}.`), misfit: true }
}

const refused = (message: string) => ({ ok: false as const, message })

/** Names the field and what it must be. */
function sentence(issue: v.BaseIssue<unknown>, given: Record<string, unknown>): string {
  const field = v.getDotPath(issue) ?? 'input'
  const top = field.split('.')[0] ?? field
  if (!(top in given)) return `the field "${field}" is missing.`
  return `the field "${field}" is invalid: ${issue.message.replace(/^Invalid \w+: E/, 'e')}.`
}
