import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import { withoutMiddle } from '../../../../machines/short-address.ts'
import type { GetPageTextInput } from '../../../wire/tools.ts'
import type { TextResult } from '../../read/types.ts'
import { ToolError } from '../cdp.ts'
import type { PageFrame } from '../frames.ts'
import { type Call, readable } from '../page.ts'
import { PDF, pdfTextOf } from '../pdf.ts'
import type { Result } from '../result.ts'
import { ask, askPrepared } from '../tree/reader.ts'
import { headPartMax } from '../tree/text.ts'

const NOTICE_CHARS = 150
/** A page of the text has no fewer characters, however little room there is. */
const PAGE_CHARS_MIN = 20

/** Title, URL and the visible text, main content first, a page of it at a time. */
export async function getPageText(call: Call, input: GetPageTextInput): Promise<Result> {
  await readable(call)
  const frames = await call.page.frames.list(call)
  const notes: string[] = []
  const [main] = frames
  const result = main && (await textOf(call, main))
  if (!main || !result) throw new Error('The page went away while it was read')
  const text = (await joined(call, frames, main, result, notes)).replace(/\n{3,}/g, '\n\n').trim()
  const max = input.max_chars ?? OUTPUT_CHARS_MAX
  const shortened = (words: string) => withoutMiddle(words, headPartMax(max))
  const head = `Title: ${shortened(result.title)}\nURL: ${shortened(call.page.loading.toldUrl(result.url))}\n\n`
  const ends = pageEnds(text, Math.max(PAGE_CHARS_MIN, max - head.length - NOTICE_CHARS))
  const number = Math.min(input.page ?? 1, ends.length)
  const shown = text.slice(ends[number - 2] ?? 0, ends[number - 1])
  if (ends.length > 1) {
    const left = text.length - shown.length
    notes.unshift(`… cut: ${left} more characters. This is page ${number} of ${ends.length}: read on with page.`)
  }
  return { content: head + (shown || '(the page shows no text)'), said: notes.join('\n') }
}

const textOf = (call: Call, frame: PageFrame): Promise<TextResult | null> =>
  askPrepared(call, frame, () => ask(call, frame, 'pageText'))

/** The text with that of its frames in their places. */
async function joined(
  call: Call,
  all: readonly PageFrame[],
  frame: PageFrame,
  { parts, contentType }: TextResult,
  notes: string[],
): Promise<string> {
  if (contentType === PDF) {
    return pdfTextOf(call, frame).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      notes.push(`${error.message} Take a screenshot to see it.`)
      return error.content
    })
  }
  const texts = await Promise.all(
    parts.map(async (part) => {
      if (typeof part === 'string') return part
      const child = all.find(({ number, parent }) => number === part && parent?.id === frame.id)
      const inner = child && (await textOf(call, child))
      if (!child || !inner) {
        notes.push('A frame of the page could not be read.')
        return ''
      }
      return `\n${await joined(call, all, child, inner, notes)}\n`
    }),
  )
  return texts.join('')
}

/** Where each page of so many characters ends: at the end of a line where there is one. */
function pageEnds(text: string, room: number): number[] {
  const ends: number[] = []
  for (let at = 0; at < text.length; at = ends.at(-1) ?? text.length) {
    ends.push(at + room >= text.length ? text.length : endOf(text, at, at + room))
  }
  return ends
}

function endOf(text: string, from: number, to: number): number {
  // No further back than it may be: the text may have no other line for long.
  const half = from + Math.floor((to - from) / 2)
  const line = text.slice(half, to + 1).lastIndexOf('\n')
  return line > 0 ? half + line + 1 : to
}
