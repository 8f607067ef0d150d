import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Contents by their paths in an archive. */
export type Files = ReadonlyMap<string, Uint8Array>

/**
 * The files of the package in a folder that an archive of it has: those that its `package.json` lists, and what npm adds.
 * Nothing else of the folder is ever read. What an operator may have edited where it lies, with secrets in it, is left
 * out: `deploy/`, and files of settings.
 */
export async function packageFiles(root: string): Promise<Files> {
  const { files = [] } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files?: string[] }
  const names = new Set(['package.json', 'README.md', 'LICENSE'])
  for (const pattern of files) {
    const [, folder = pattern, end = ''] = /^(.*?)\/\*\*\/\*(\.\w+)$/.exec(pattern) ?? []
    if (!pattern.startsWith('!')) for (const name of await under(root, folder)) if (name.endsWith(end)) names.add(name)
  }
  const kept = [...names].filter((name) => !/^deploy\/|\.env$/.test(name)).sort()
  return new Map(await Promise.all(kept.map(async (name) => [name, await readFile(join(root, name))] as const)))
}

/** A file, or all files of a folder, by their paths from `root`. Links are not followed, and lead nowhere out of it. */
async function under(root: string, path: string): Promise<string[]> {
  const real = await realpath(join(root, path)).catch(() => null)
  if (real !== join(await realpath(root), path)) return []
  const about = await lstat(real)
  if (!about.isDirectory()) return about.isFile() ? [path] : []
  return (await Promise.all((await readdir(real)).map((name) => under(root, `${path}/${name}`)))).flat()
}

const BLOCK = 512
/** Where the fields of a header are, by the POSIX format `ustar`: offset and length. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const
/** The first second of 1985, which npm packs with too: equal files make equal archives, on every node. */
const AT = 473_385_600

/** A `.tgz` as npm packs it: every file below `package/`. */
export async function tarball(files: Files): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (const [name, bytes] of files)
    parts.push(headerOf(`package/${name}`, bytes.length), bytes, new Uint8Array(-bytes.length & (BLOCK - 1)))
  parts.push(new Uint8Array(2 * BLOCK))
  return promisify<Uint8Array, object, Uint8Array>(gzip)(Buffer.concat(parts), { level: 9 })
}

/** @throws for a path that the format cannot name: more than 100 bytes after its last 155. */
function headerOf(path: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  const put = (field: keyof typeof FIELDS, text: string) => {
    const [offset, length] = FIELDS[field]
    if (Buffer.byteLength(text) > length) throw new Error(`${path} is too long for an archive.`)
    header.write(text, offset)
  }
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  const at = path.length > FIELDS.name[1] ? path.indexOf('/', path.length - FIELDS.name[1] - 1) : -1
  put('name', path.slice(at + 1))
  put('prefix', path.slice(0, Math.max(at, 0)))
  put('mode', octal(0o644, 8))
  put('uid', octal(0, 8))
  put('gid', octal(0, 8))
  put('size', octal(size, 12))
  put('mtime', octal(AT, 12))
  put('type', '0')
  put('magic', 'ustar\x0000')
  put('checksum', ' '.repeat(8))
  const sum = header.reduce((total, byte) => total + byte, 0)
  put('checksum', `${octal(sum, 7)}\0 `)
  return header
}
