import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request, Response } from '../http/transport.ts'
import { bundleClient } from './bundle.ts'

const FOLDER = fileURLToPath(new URL('static/', import.meta.url))
const PREFIX = '/static/'
/** The modules of the pages. */
const CLIENT = 'client/'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

export const isStaticPath = (path: string): boolean => `${path}/`.startsWith(PREFIX)

interface File {
  readonly type: string
  readonly etag: string
  readonly bytes: Uint8Array
}

/**
 * [P2] [P3] The static files, read once. A path is looked up among their names and never reaches the file system:
 * what is none of them, a folder or a way out of one included, is `null`.
 */
export async function openStatic(folder = FOLDER): Promise<(request: Request) => Promise<Response | null>> {
  const files = await filesUnder(folder)
  // Bundled when the first of them is asked for: a service without visitors bundles none.
  let client: Promise<ReadonlyMap<string, File>> | null = null
  const bundled = async (name: string) => {
    client ??= bundleClient().then((all) => new Map([...all].map(([of, bytes]) => [of, fileOf(SCRIPT, bytes)])))
    client.catch(() => {
      client = null
    })
    return (await client).get(name)
  }
  return async (request) => {
    const name = nameOf(request.path)
    const file = name.startsWith(CLIENT) ? await bundled(name.slice(CLIENT.length)) : files.get(name)
    if (!file) return null
    const headers: Response['headers'] = [
      ['ETag', file.etag],
      ['Cache-Control', 'no-cache'],
      ['X-Content-Type-Options', 'nosniff'],
    ]
    if (isKnown(request.headers['if-none-match'], file.etag)) return { status: 304, headers, body: null }
    return { status: 200, headers: [['Content-Type', file.type], ...headers], body: file.bytes }
  }
}

async function filesUnder(folder: string): Promise<ReadonlyMap<string, File>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, File>()
  for (const entry of found) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    files.set(path.slice(join(folder, '/').length).replaceAll('\\', '/'), fileOf(type, await readFile(path)))
  }
  return files
}

const SCRIPT = 'text/javascript; charset=utf-8'

const fileOf = (type: string, bytes: Uint8Array): File => ({
  type,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
  bytes,
})

/** The name that a path asks for, decoded once; empty when it cannot be decoded. */
function nameOf(path: string): string {
  if (!path.startsWith(PREFIX)) return ''
  try {
    return decodeURIComponent(path.slice(PREFIX.length))
  } catch {
    return ''
  }
}

/** `If-None-Match`: a list of tags, weak ones counted like strong ones, or `*`. */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
