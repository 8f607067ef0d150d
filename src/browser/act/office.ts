import type { FileContent } from '../read/types.ts'
import { officeReaderSource } from '../reader-source.ts'
import { ToolError } from './cdp.ts'
import { type Call, evaluate } from './page.ts'

/** What a file of the task holds that is neither text nor a PDF, read in the page. Throws a ToolError when it is broken. */
export async function contentIn(call: Call, base64: string, name: string): Promise<FileContent> {
  const frame = await call.page.frames.main(call)
  const isThere = await evaluate(call, 'typeof globalThis.officeReader', frame)
  if (isThere.result.value !== 'object')
    await evaluate(call, `void (globalThis.officeReader ??= (${await officeReaderSource()})())`, frame)
  const asked = `officeReader.of(${JSON.stringify(base64)}, ${JSON.stringify(name)})`
  const { result, exceptionDetails } = await evaluate(call, asked, frame)
  if (exceptionDetails)
    throw new ToolError('The file could not be read.', exceptionDetails.exception?.description?.split('\n')[0])
  return (result.value ?? null) as FileContent
}
