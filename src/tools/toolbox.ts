import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Toolbox, ToolSpec } from '../../actors/runtime/ports.ts'
import { computer } from './computer.ts'
import { dialog } from './dialog.ts'
import { files } from './files.ts'
import { find } from './find.ts'
import { finish } from './finish.ts'
import { formInput } from './form-input.ts'
import { getPageText } from './get-page-text.ts'
import { javascriptTool } from './javascript-tool.ts'
import { navigate } from './navigate.ts'
import { readPage } from './read-page.ts'
import { tabs } from './tabs.ts'
import type { Tool } from './tool.ts'

/** Every browser has these. */
const SEVEN: readonly Tool[] = [navigate, readPage, find, formInput, getPageText, computer, javascriptTool]
/** Browsers of protocol 2 announce which of these they have. */
const ANNOUNCED: readonly Tool[] = [tabs, dialog, files]
/** Carried out by the service itself, for tasks in browsers of protocol 2. */
const OWN: readonly Tool[] = [finish]
const byName = new Map([...SEVEN, ...ANNOUNCED, ...OWN].map((tool) => [tool.name, tool]))

const spec = ({ name, description, input }: Tool): ToolSpec => {
  const { $schema: _, ...schema } = toJsonSchema(input, { target: 'draft-07', errorMode: 'throw' })
  return { name, description, schema }
}

const lists = new Map<string, readonly ToolSpec[]>()

/**
 * The tools as the model sees them, and the check of what it asks for.
 * `check` never throws. What it lets through is the input as it was given, without fields that the tool does not have
 * and without optional fields that are `null` (many models write `null` for what they leave out).
 */
export const toolbox: Toolbox = {
  specs(announced) {
    const more = announced === null ? [] : [...ANNOUNCED.filter(({ name }) => announced.includes(name)), ...OWN]
    const key = more.map(({ name }) => name).join(' ')
    const known = lists.get(key)
    if (known) return known
    const list = [...SEVEN, ...more].map(spec)
    lists.set(key, list)
    return list
  },
  check(name, input) {
    const tool = byName.get(name)
    if (!tool) return refused(`There is no tool "${name}". The tools are ${[...byName.keys()].join(', ')}.`)
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return refused(`The input of ${name} must be an object.`)
    }
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    const parsed = v.safeParse(tool.input, given, { abortEarly: true })
    if (parsed.success) return { ok: true, input: parsed.output }
    return refused(`${name}: ${sentence(parsed.issues[0], given)}`)
  },
}

const refused = (message: string) => ({ ok: false as const, message })

/** Names the field and what it must be. */
function sentence(issue: v.BaseIssue<unknown>, given: Record<string, unknown>): string {
  const field = v.getDotPath(issue) ?? 'input'
  const top = field.split('.')[0] ?? field
  if (!(top in given)) return `the field "${field}" is missing.`
  return `the field "${field}" is invalid: ${issue.message.replace(/^Invalid \w+: E/, 'e')}.`
}
