import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compress, type Encoding, encodingOf } from '../net/compression.ts'
import type { Request, Response } from '../net/transport.ts'
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
  /** Of its content, in letters that an address may have. */
  readonly hash: string
  readonly bytes: Uint8Array
  /** Made once, off the event loop; `null` where it would save nothing. */
  readonly compressed: Readonly<Record<Encoding, Uint8Array>> | null
}

/** Under an address that has its hash a file never changes. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable'

export interface StaticFiles {
  /** What a path names; `null` if that is no file. */
  answer(request: Request): Promise<Response | null>
  /** A page that names each of its files with its hash, so that browsers ask for each once. */
  withHashes(page: string): Promise<string>
}

/**
 * [P2] [P3] The static files, read once. A path is looked up among their names and never reaches the file system:
 * what is none of them, a folder or a way out of one included, is `null`.
 */
export async function openStatic(folder = FOLDER): Promise<StaticFiles> {
  const files = await filesUnder(folder)
  // Bundled when the first of them is asked for: a service without visitors bundles none.
  let client: Promise<ReadonlyMap<string, File>> | null = null
  const bundled = async (name: string) => {
    client ??= bundleClient().then((all) => filesOf([...all].map(([of, bytes]) => [of, SCRIPT, bytes])))
    client.catch(() => {
      client = null
    })
    return (await client).get(name)
  }
  const find = async (name: string) => (name.startsWith(CLIENT) ? bundled(name.slice(CLIENT.length)) : files.get(name))
  return {
    async answer({ path, query, headers: asked }) {
      const file = await find(nameOf(path))
      if (!file) return null
      const encoding = file.compressed && encodingOf(asked)
      const etag = encoding ? `"${file.hash}-${encoding}"` : `"${file.hash}"`
      const headers: Response['headers'] = [
        ['ETag', etag],
        ['Cache-Control', query === `v=${file.hash}` ? FOR_A_YEAR : 'no-cache'],
        ['X-Content-Type-Options', 'nosniff'],
        ...(file.compressed ? ([['Vary', 'Accept-Encoding']] as const) : []),
      ]
      if (isKnown(asked['if-none-match'], etag)) return { status: 304, headers, body: null }
      const encoded = encoding ? ([['Content-Encoding', encoding]] as const) : []
      const body = (encoding && file.compressed?.[encoding]) ?? file.bytes
      return { status: 200, headers: [['Content-Type', file.type], ...encoded, ...headers], body }
    },
    async withHashes(page) {
      const hashes = new Map<string, string>()
      for (const [, name = ''] of page.matchAll(NAMED)) {
        const file = await find(name)
        if (file) hashes.set(name, file.hash)
      }
      return page.replaceAll(NAMED, (named, name) => {
        const hash = hashes.get(name)
        return hash === undefined ? named : `${named.slice(0, -1)}?v=${hash}"`
      })
    },
  }
}

/** An attribute of our markup: in the text of a page its quotes would be escaped. */
const NAMED = /(?:href|src)="\/static\/([\w./-]+)"/g

async function filesUnder(folder: string): Promise<ReadonlyMap<string, File>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const read: [name: string, type: string, bytes: Uint8Array][] = []
  for (const entry of found) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    read.push([path.slice(join(folder, '/').length).replaceAll('\\', '/'), type, await readFile(path)])
  }
  return filesOf(read)
}

const filesOf = async (
  read: readonly (readonly [name: string, type: string, bytes: Uint8Array])[],
): Promise<ReadonlyMap<string, File>> =>
  new Map(await Promise.all(read.map(async ([name, type, bytes]) => [name, await fileOf(type, bytes)] as const)))

const SCRIPT = 'text/javascript; charset=utf-8'

/** A style sheet without its comments and the blanks between its parts, which are for who writes it. */
const stripped = (css: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(css)
      .toString()
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,]) /g, '$1')
      .replace(/ {/g, '{')
      .replace(/([{;][a-z-]+): /g, '$1:'),
  )

async function fileOf(type: string, source: Uint8Array): Promise<File> {
  const bytes = type.startsWith('text/css') ? stripped(source) : source
  const isText = /^(?:text|application|image\/svg)/.test(type)
  const [br, gzip] = isText ? await Promise.all([compress.br(bytes), compress.gzip(bytes)]) : []
  return {
    type,
    hash: createHash('sha256').update(bytes).digest('base64url'),
    bytes,
    compressed: br && gzip && Math.max(br.length, gzip.length) < bytes.length ? { br, gzip } : null,
  }
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
