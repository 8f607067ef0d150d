import { FILE_BYTES_MAX } from '../../wire/limits.ts'
import { pdfReaderSource } from '../reader-source.ts'
import { ToolError } from './cdp.ts'
import type { PageFrame } from './frames.ts'
import { type Call, evaluate } from './page.ts'

export const PDF = 'application/pdf'

/** The text of the PDF that a frame shows. Throws a ToolError when it cannot be read. */
export const pdfTextOf = (call: Call, frame: PageFrame): Promise<string> =>
  ask(call, frame, `at(location.href, ${FILE_BYTES_MAX})`)

/** The text of a PDF of the task's files, read in the page. */
export async function pdfTextIn(call: Call, base64: string): Promise<string> {
  return ask(call, await call.page.frames.main(call), `of(${JSON.stringify(base64)})`)
}

async function ask(call: Call, frame: PageFrame, question: string): Promise<string> {
  const isThere = await evaluate(call, 'typeof globalThis.pdfReader', frame)
  if (isThere.result.value !== 'object')
    await evaluate(call, `void (globalThis.pdfReader ??= (${await pdfReaderSource()})())`, frame)
  const { result, exceptionDetails } = await evaluate(call, `pdfReader.${question}`, frame)
  if (exceptionDetails)
    throw new ToolError('The PDF could not be read.', exceptionDetails.exception?.description?.split('\n')[0])
  const pages = result.value as readonly string[]
  return pages.length === 1 ? (pages[0] ?? '') : pages.map((text, at) => `[Page ${at + 1}]\n${text}`).join('\n\n')
}
