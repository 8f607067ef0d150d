import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { argsOf } from './built.ts'
import { tempFolder } from './stores.ts'

/** Whether this machine can watch the system calls of a process. */
export const canWatch = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

/** One system call that matters to what is on the disk, and what the process said on its standard output. */
export type Call =
  | {
      readonly kind: 'write'
      readonly file: string
      readonly at: number
      readonly bytes: Buffer
      readonly synced: boolean
    }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'said'; readonly text: string }

const CALLS =
  'openat,close,dup,dup2,lseek,write,writev,pwrite64,pwritev,ftruncate,fdatasync,fsync,msync,sync_file_range'

/**
 * Runs a script with a folder and a count as its arguments under strace until it ends, and gives its writes to files of
 * the folder, its syncs and those of its words that match, in their order. Each counts from when its system call was over.
 */
export async function watched(script: string, folder: string, count: number, isWord: RegExp): Promise<Call[]> {
  const trace = join(tempFolder(), 'trace')
  const strace = ['-f', '-xx', '-s', '2000000', '-y', '-e', `trace=${CALLS}`, '-e', 'signal=none', '-o', trace]
  const args = [...strace, process.execPath, ...argsOf(script), folder, String(count)]
  await once(spawn('strace', args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  return callsOf(trace, folder, isWord)
}

/** `123 pwrite64(19</data/store.mdb>, "\x00\x01", 2, 40) = 2`, or in two parts: `… <unfinished ...>`, `… <... pwrite64 resumed>…`. */
const LINE = /^(?<pid>\d+) +(?:<\.\.\. \w+ resumed>(?<rest>.*)|(?<begun>.*?)(?<cut> <unfinished \.\.\.>)?)$/

async function callsOf(trace: string, folder: string, isWord: RegExp): Promise<Call[]> {
  const calls: Call[] = []
  const unfinished = new Map<string, string>()
  const synchronous = new Set<string>()
  const seeks = new Map<string, number>()
  for await (const line of createInterface(createReadStream(trace, 'latin1'))) {
    const { pid = '', rest, begun, cut } = LINE.exec(line)?.groups ?? {}
    if (cut !== undefined) {
      unfinished.set(pid, begun ?? '')
      continue
    }
    const whole = rest === undefined ? (begun ?? '') : (unfinished.get(pid) ?? '') + rest
    const {
      name,
      fd,
      path,
      more = '',
    } = /^(?<name>\w+)\((?<fd>\w+)<(?<path>[^>]*)>(?<more>.*)$/s.exec(whole)?.groups ?? {}
    const opened = /O_D?SYNC.*= (?<fd>\d+)</.exec(whole)?.groups?.fd
    if (whole.startsWith('openat(') && opened !== undefined) synchronous.add(opened)
    if (name === undefined || fd === undefined || path === undefined) continue
    const file = unescaped(path).toString()
    if (name === 'write' && fd === '1') {
      const text = textsOf(more).toString()
      if (isWord.test(text)) calls.push({ kind: 'said', text: text.trim() })
    }
    if (!file.startsWith(`${folder}/`) || !file.endsWith('.mdb')) continue
    const own = { file: basename(file) }
    if (name === 'fdatasync' || name === 'fsync') calls.push({ kind: 'sync', ...own })
    else if (name === 'pwrite64' || name === 'pwritev') {
      const at = Number(/, (?<at>\d+)\) += /.exec(more)?.groups?.at)
      calls.push({ kind: 'write', ...own, at, bytes: textsOf(more), synced: synchronous.has(fd) })
    } else if (name === 'lseek') seeks.set(file, Number(/\) += (?<at>\d+)/.exec(more)?.groups?.at))
    else if (name === 'writev') {
      const bytes = textsOf(more)
      calls.push({ kind: 'write', ...own, at: seeks.get(file) ?? 0, bytes, synced: synchronous.has(fd) })
    } else if (name !== 'close') throw new Error(`A call that is not understood: ${whole.slice(0, 200)}`)
  }
  return calls
}
/**
 * The files of the folder as a loss of power after the first `count` calls may leave them: all that was synced, and of
 * what was not any pages of any writes.
 */
export function afterPowerLoss(calls: readonly Call[], count: number, chance: () => boolean): Map<string, Buffer> {
  const files = new Map<string, { durable: Buffer; pending: { at: number; bytes: Buffer }[] }>()
  for (const call of calls.slice(0, count)) {
    if (call.kind === 'said') continue
    const file = files.get(call.file) ?? { durable: Buffer.alloc(0), pending: [] }
    files.set(call.file, file)
    if (call.kind === 'write' && !call.synced) file.pending.push(...pagesOf(call))
    else {
      const writes = call.kind === 'sync' ? file.pending : [call]
      for (const write of writes) file.durable = written(file.durable, write)
      if (call.kind === 'sync') file.pending = []
    }
  }
  const left = new Map<string, Buffer>()
  for (const [name, { durable, pending }] of files) {
    const image = pending.filter(chance).reduce(written, durable)
    if (image.length > 0) left.set(name, image)
  }
  return left
}

const PAGE_BYTES = 4_096

function* pagesOf({ at, bytes }: { at: number; bytes: Buffer }) {
  for (let n = 0; n < bytes.length; n += PAGE_BYTES) yield { at: at + n, bytes: bytes.subarray(n, n + PAGE_BYTES) }
}

function written(image: Buffer, { at, bytes }: { at: number; bytes: Buffer }): Buffer {
  const larger = Buffer.alloc(Math.max(image.length, at + bytes.length))
  image.copy(larger)
  bytes.copy(larger, at)
  return larger
}

const textsOf = (args: string) =>
  Buffer.concat([...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => unescaped(text)))
const unescaped = (text: string) =>
  text.includes('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1')
