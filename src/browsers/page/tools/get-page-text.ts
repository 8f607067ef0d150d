import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import type { GetPageTextInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { type Call, evaluate, readable } from '../page.ts'
import { PAGE_TEXT } from '../scripts/text.ts'

/** Title, URL and the visible text, main content first. */
export async function getPageText(call: Call, input: GetPageTextInput): Promise<string> {
  await readable(call)
  const { result, exceptionDetails } = await evaluate(call, PAGE_TEXT)
  const page = result.value as { title: string; url: string; text: string } | undefined
  if (exceptionDetails || !page) throw new ToolError('The text of the page could not be read.')
  const head = `Title: ${page.title}\nURL: ${page.url}\n\n`
  const max = Math.max(0, (input.max_chars ?? OUTPUT_CHARS_MAX) - head.length - NOTICE_CHARS)
  if (page.text === '') return `${head}(the page shows no text)`
  if (page.text.length <= max) return head + page.text
  return `${head}${page.text.slice(0, max)}\n… cut: ${page.text.length - max} more characters.`
}

const NOTICE_CHARS = 60
