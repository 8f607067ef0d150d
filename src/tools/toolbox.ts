import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Toolbox, ToolSpec } from '../../actors/ports.ts'
import { computer } from './computer.ts'
import { find } from './find.ts'
import { formInput } from './form-input.ts'
import { getPageText } from './get-page-text.ts'
import { javascriptTool } from './javascript-tool.ts'
import { navigate } from './navigate.ts'
import { readPage } from './read-page.ts'
import type { Tool } from './tool.ts'

const TOOLS: readonly Tool[] = [navigate, readPage, find, formInput, getPageText, computer, javascriptTool]
const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

const spec = ({ name, description, input }: Tool): ToolSpec => {
  const { $schema: _, ...schema } = toJsonSchema(input, { target: 'draft-07', errorMode: 'throw' })
  return { name, description, schema }
}

/**
 * The seven browser tools, as a model is told of them and as what it asked for is checked.
 * `check` never throws. What it lets through is the input as it was given, without fields that the tool does not have
 * and without optional fields that are `null` (many models write `null` for what they leave out).
 */
export const toolbox: Toolbox = {
  specs: TOOLS.map(spec),
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
