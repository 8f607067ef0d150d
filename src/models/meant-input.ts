import type * as v from 'valibot'
import type { Tool } from '../wire/tools.ts'

/** Names that models give to actions of `computer`. */
const ACTIONS: Readonly<Record<string, string>> = {
  click: 'left_click',
  drag: 'left_click_drag',
  doubleclick: 'double_click',
  move: 'mouse_move',
  press: 'key',
  press_key: 'key',
  keypress: 'key',
  rightclick: 'right_click',
  type_text: 'type',
}

const NUMBER = String.raw`-?\d+(?:\.\d+)?`

const LIST = new RegExp(String.raw`^\s*[[(]?\s*(${NUMBER}(?:\s*,\s*${NUMBER})+)\s*[\])]?\s*$`)

/**
 * [G34] An input as its model plainly meant it: `click` for `left_click`, `"[100, 200]"` for a coordinate, `"2"` for a number.
 * Whatever else is wrong stays as it is, and is refused.
 */
export const meant = (tool: Tool, input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([field, value]) => [field, meantValue(tool, field, value)]))

function meantValue(tool: Tool, field: string, value: unknown): unknown {
  const type = typeOf(tool.input.entries[field])
  if (type === 'array') return pointOf(value)
  if (field === 'ref' || field === 'to_ref') return typeof value === 'number' ? String(value) : value
  if (typeof value !== 'string') return value
  if (type === 'number') return new RegExp(`^${NUMBER}$`).test(value) ? Number(value) : value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  if (tool.name !== 'computer' || field !== 'action') return value
  const name = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return ACTIONS[name] ?? name
}

/** What a field takes: the type of its schema, also where it may be left out. */
const typeOf = (schema: v.GenericSchema | undefined): string | undefined =>
  schema && 'wrapped' in schema ? typeOf(schema.wrapped as v.GenericSchema) : schema?.type

function pointOf(value: unknown): unknown {
  if (typeof value === 'string') return LIST.exec(value)?.[1]?.split(',').map(Number) ?? value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { x, y } = value as { x?: unknown; y?: unknown }
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : value
}
