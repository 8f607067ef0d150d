import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import type { ReadPageInput } from '../../../wire/tools.ts'
import { type Call, location } from '../page.ts'
import { stale } from '../refs.ts'
import { everyItem, type Item } from '../tree/item.ts'
import { lines } from '../tree/lines.ts'
import { readItems } from '../tree/read.ts'

/** The page, or one element of it, as an accessibility tree in text, cut at whole lines. */
export async function readPage(call: Call, input: ReadPageInput): Promise<string> {
  const items = await readItems(call)
  const { url, title } = await location(call)
  const chosen = input.ref === undefined ? items : [part(call, items, input.ref)]
  const max = input.max_chars ?? OUTPUT_CHARS_MAX
  const head = `Page ${JSON.stringify(title)} (${url})`
  const interactive = input.filter === 'interactive'
  const text: string[] = [head]
  let chars = head.length
  let left = 0
  for (const next of lines(chosen, call.page.refs, originOf(url), interactive)) {
    if (left === 0 && chars + next.length + 1 <= max - NOTICE_CHARS) {
      text.push(next)
      chars += next.length + 1
    } else left += 1
  }
  if (text.length === 1 && left === 0) text.push(interactive ? '(nothing to interact with)' : '(the page is empty)')
  if (left > 0) text.push(`… cut: ${left} more lines. Read one part with ref, or use find.`)
  return text.join('\n')
}

const NOTICE_CHARS = 80

function part(call: Call, items: readonly Item[], given: string): Item {
  const { ref, known } = call.page.refs.get(given)
  for (const item of everyItem(items)) if (item.backendNodeId === known.backendNodeId) return item
  throw stale(ref)
}

/** `null` as text for pages without one. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'null')
