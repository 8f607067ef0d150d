import type { Refs } from '../refs.ts'
import { clip, type Item, labelOf } from './item.ts'

const VALUE_CHARS_MAX = 300
const URL_CHARS_MAX = 150
const OPTIONS_SHOWN_MAX = 30

/** An element in one line: role, name, reference, states, value. Gives it a reference when it is actionable or `always`. */
export function line(item: Item, refs: Refs, origin: string, always = false): string {
  const parts = [item.role]
  if (item.name) parts.push(JSON.stringify(item.name))
  if (item.backendNodeId !== null && (item.actionable || always)) {
    parts.push(`[${refs.of(item.backendNodeId, labelOf(item))}]`)
  }
  parts.push(...item.states)
  if (item.value && item.value !== item.name) parts.push(`value=${JSON.stringify(clip(item.value, VALUE_CHARS_MAX))}`)
  if (item.description && item.description !== item.name) {
    parts.push(`description=${JSON.stringify(clip(item.description, VALUE_CHARS_MAX))}`)
  }
  if (item.placeholder && ![item.name, item.description].includes(item.placeholder)) {
    parts.push(`placeholder=${JSON.stringify(clip(item.placeholder, VALUE_CHARS_MAX))}`)
  }
  if (item.options.length > 0) parts.push(`options: ${shownOptions(item.options)}`)
  if (item.url) parts.push(`-> ${clip(shortUrl(item.url, origin), URL_CHARS_MAX)}`)
  return parts.join(' ')
}

function shownOptions(options: readonly string[]): string {
  const shown = options.slice(0, OPTIONS_SHOWN_MAX).join(' | ')
  const more = options.length - OPTIONS_SHOWN_MAX
  return more > 0 ? `${shown} | … ${more} more` : shown
}

const shortUrl = (url: string, origin: string): string =>
  origin !== 'null' && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url

/** The items as indented lines; only the actionable ones, without indentation, when `interactive`. */
export function* lines(
  items: readonly Item[],
  refs: Refs,
  origin: string,
  interactive: boolean,
  depth = 0,
): Generator<string> {
  for (const item of items) {
    const shown = !interactive || item.actionable
    if (shown) yield '  '.repeat(interactive ? 0 : depth) + line(item, refs, origin)
    yield* lines(item.children, refs, origin, interactive, depth + 1)
  }
}
