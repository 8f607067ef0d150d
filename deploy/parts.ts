import { SCHEMA_THREAD } from '../src/api/schemas/thread.ts'
import { bundleOfficeReader, bundlePdfReader, bundleReader } from '../src/browser/reader-bundle.ts'
import { SCRIPT_THREAD } from '../src/script/scripts.ts'
import { bundleThread } from '../src/script/thread.ts'
import { bundleClient } from '../src/web/bundle.ts'

/** What is sent to browsers and threads, built: contents by the names under which src/packed.ts reads them. */
export async function buildParts(): Promise<ReadonlyMap<string, Uint8Array | string>> {
  const pages = await bundleClient()
  return new Map<string, Uint8Array | string>([
    ...[...pages].map(([name, bytes]) => [`pages/${name}`, bytes] as const),
    ['reader.js', await bundleReader()],
    ['pdf.js', await bundlePdfReader(false)],
    ['office.js', await bundleOfficeReader()],
    [SCHEMA_THREAD.file, await bundleThread(SCHEMA_THREAD.source)],
    [SCRIPT_THREAD.file, await bundleThread(SCRIPT_THREAD.source)],
  ])
}

/** In the place of src/browser/reader-source.ts, whose types know browsers alone. */
export const PACKED_READER = `
import { once } from '../config/once.ts'
import { packed } from '../packed.ts'
const textOf = async (name: string) => new TextDecoder().decode((await packed(name)) ?? undefined)
export const readerSource = once(() => textOf('reader.js'))
export const pdfReaderSource = once(() => textOf('pdf.js'))
export const officeReaderSource = once(() => textOf('office.js'))
`
