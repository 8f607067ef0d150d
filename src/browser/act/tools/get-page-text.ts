import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import type { GetPageTextInput } from '../../../wire/tools.ts'
import type { TextResult } from '../../read/types.ts'
import { ToolError } from '../cdp.ts'
import type { PageFrame } from '../frames.ts'
import { type Call, readable } from '../page.ts'
import { PDF, pdfTextOf } from '../pdf.ts'
import type { Result } from '../result.ts'
import { ask, askPrepared } from '../tree/reader.ts'

const NOTICE_CHARS = 150

/** Title, URL and the visible text, main content first, a page of it at a time. */
export async function getPageText(call: Call, input: GetPageTextInput): Promise<Result> {
  await readable(call)
  const frames = await call.page.frames.list(call)
  const notes: string[] = []
  const [main] = frames
  const result = main && (await textOf(call, main))
  if (!main || !result) throw new Error('The page went away while it was read')
  const text = (await joined(call, frames, main, result, notes)).replace(/\n{3,}/g, '\n\n').trim()
  const head = `Title: ${result.title}\nURL: ${result.url}\n\n`
  const room = Math.max(1, (input.max_chars ?? OUTPUT_CHARS_MAX) - head.length - NOTICE_CHARS)
  const pages = pagesOf(text, room)
  const number = Math.min(input.page ?? 1, pages.length)
  const shown = pages[number - 1] ?? ''
  if (pages.length > 1) {
    const left = text.length - shown.length
    notes.unshift(`… cut: ${left} more characters. This is page ${number} of ${pages.length}: read on with page.`)
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

/** Cut at line ends where there are any. */
function pagesOf(text: string, room: number): string[] {
  const pages: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + room >= text.length ? text.length : endOf(text, at, at + room)
    pages.push(text.slice(at, end))
    at = end
  }
  return pages
}

function endOf(text: string, from: number, to: number): number {
  const line = text.lastIndexOf('\n', to)
  return line > from + (to - from) / 2 ? line + 1 : to
}
