import type { ToolSpec } from '../../actors/runtime/ports.ts'

interface SaidCall {
  readonly tool: string
  readonly input: unknown
}

/**
 * [L48] A reply as its model plainly meant it: names of tools without what endpoints leave before or behind them, and calls
 * that were written as text. What names no tool that was offered stays as it is.
 */
export function mendedReply<Reply extends { text: string; calls: readonly SaidCall[] }>(
  reply: Reply,
  tools: readonly ToolSpec[],
): Reply {
  const names = new Set(tools.map(({ name }) => name))
  if (reply.calls.length > 0) {
    const calls = reply.calls.map((call) => ({ ...call, tool: meantName(call.tool, names) ?? call.tool }))
    return { ...reply, calls }
  }
  const written = tools.length === 0 ? null : writtenCalls(reply.text, names)
  return written ? { ...reply, ...written } : reply
}

/** `functions.finish`, `default_api:finish`, `finish<|channel|>commentary`, `finish()` */
function meantName(name: string, names: ReadonlySet<string>): string | null {
  if (names.has(name)) return name
  const bare = name
    .replace(/<\|.*$/s, '')
    .replace(/\(.*$/s, '')
    .trim()
  const last =
    bare
      .split(/[.:/]|__/)
      .at(-1)
      ?.trim() ?? ''
  return [bare, last].find((each) => names.has(each)) ?? null
}

/**
 * Where calls stand in a text: between marks that models were trained on, or in a block of JSON. Texts are long: each is read
 * once from its beginning to its end.
 */
const MARKED = /<(tool_call|function_call|tool_use)>(.*?)(?:<\/\1>|$)/gs
const TOOL_CALLS = /\[TOOL_CALLS\]\s*(\[.*\])/s
const BLOCK = /^```(?:json|tool_call)?[^\S\n]*\n(.*)```$/s

function writtenCalls(text: string, names: ReadonlySet<string>): { text: string; calls: SaidCall[] } | null {
  const marked = [...text.matchAll(MARKED)].map(([, , inner]) => inner ?? '')
  const [, list] = TOOL_CALLS.exec(text) ?? []
  const [, block] = BLOCK.exec(text.trim()) ?? []
  const pieces = marked.length > 0 ? marked : [list ?? block ?? text]
  const calls = pieces.flatMap((piece) => callsIn(piece, names))
  if (calls.length === 0 || calls.includes(null)) return null
  const rest = marked.length > 0 ? text.replace(MARKED, '') : list ? text.replace(TOOL_CALLS, '') : ''
  return { text: rest.trim(), calls: calls.filter((call) => call !== null) }
}

/** `null` stands for what is no call. */
function callsIn(piece: string, names: ReadonlySet<string>): (SaidCall | null)[] {
  let json: unknown
  try {
    json = JSON.parse(piece)
  } catch {
    return [null]
  }
  return (Array.isArray(json) ? json : [json]).map((each) => callIn(each, names))
}

function callIn(json: unknown, names: ReadonlySet<string>): SaidCall | null {
  if (typeof json !== 'object' || json === null) return null
  const { function: inner, ...outer } = json as Record<string, unknown>
  const said = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : outer
  const name = said.name ?? said.tool ?? (typeof inner === 'string' ? inner : undefined)
  const tool = typeof name === 'string' ? meantName(name, names) : null
  if (tool === null) return null
  const input = said.arguments ?? said.parameters ?? said.input ?? said.args ?? {}
  return { tool, input: typeof input === 'string' ? (parsed(input) ?? input) : input }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
