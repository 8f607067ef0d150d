import type { FilesInput } from '../../../wire/tools.ts'
import type { TaskFile } from '../../files.ts'
import { FILE_READ_CHARS_MAX } from '../../limits.ts'
import { ToolError } from '../cdp.ts'
import { elementOf } from '../element.ts'
import { uploadTo } from '../form/file.ts'
import { contentIn } from '../office.ts'
import type { Call } from '../page.ts'
import { pdfTextIn } from '../pdf.ts'
import type { Result } from '../result.ts'

/** Lists the files of the task, uploads one to an element, reads the text of one. */
export async function files(call: Call, input: FilesInput): Promise<Result> {
  if (input.action === 'write') throw new ToolError('The service writes files, not the browser.')
  const all = await call.work.files()
  if (input.action === 'list') {
    if (all.length === 0) return { said: 'This task has no files.', content: '' }
    return { said: `${all.length} ${all.length === 1 ? 'file' : 'files'}.`, content: all.map(lineOf).join('\n') }
  }
  if (input.name === undefined) throw new ToolError(`${input.action} needs the name of a file.`)
  const file = all.findLast(({ name }) => name === input.name)
  if (!file)
    throw new ToolError(
      'This task has no file of that name.',
      `Files: ${all.map(({ name }) => name).join(', ') || 'none'}`,
    )
  return input.action === 'read'
    ? read(call, file, input.max_chars ?? FILE_READ_CHARS_MAX)
    : upload(call, file, input.ref)
}

const lineOf = ({ name, mediaType, size }: TaskFile): string =>
  `${JSON.stringify(name)} ${mediaType}${size === null ? '' : `, ${size} bytes`}`

async function read(call: Call, file: TaskFile, max: number): Promise<Result> {
  const bytes = await file.read()
  const isMail = /\.eml$/i.test(file.name)
  let text = isPdf(bytes) ? await pdfTextIn(call, base64(bytes)) : isMail ? null : decoded(bytes)
  if (text === null) {
    const content = await contentIn(call, base64(bytes), file.name)
    if (content === null) return { said: `The file holds ${bytes.length} bytes that are not text.`, content: '' }
    if ('jpeg' in content) return { said: 'The file is a picture.', content: '', screenshot: content.jpeg }
    text = content.text
  }
  const cut = text.length - max
  return { said: cut > 0 ? `The file is cut: ${cut} more characters.` : '', content: text.slice(0, max) }
}

const isPdf = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-'

/** `null` for what is not text. */
function decoded(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

async function upload(call: Call, file: TaskFile, ref: string | undefined): Promise<Result> {
  if (ref === undefined) throw new ToolError('upload needs the ref of a file field or an upload area.')
  const element = await elementOf(call, ref)
  return uploadTo(call, element, { base64: base64(await file.read()), name: file.name, mediaType: file.mediaType })
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
