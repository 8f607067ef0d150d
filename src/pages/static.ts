import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request, Response } from '../http/transport.ts'

const FOLDER = fileURLToPath(new URL('static/', import.meta.url))
/** The modules of the pages, as they are written: `/static/client/…`. */
const CLIENT = fileURLToPath(new URL('client/', import.meta.url))
const PREFIX = '/static/'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
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
export async function openStatic(folder = FOLDER): Promise<(request: Request) => Response | null> {
  const [own, client] = await Promise.all([filesUnder(folder), filesUnder(CLIENT)])
  const files = new Map([...own, ...[...client].map(([name, file]) => [`client/${name}`, file] as const)])
  return (request) => {
    const file = files.get(nameOf(request.path))
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
    if (!entry.isFile() || type === undefined || entry.name === 'tsconfig.json') continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    files.set(path.slice(join(folder, '/').length).replaceAll('\\', '/'), { type, etag, bytes })
  }
  return files
}

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
