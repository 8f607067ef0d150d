import { existsSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** What a process has used: CPU since its start and wall time in ms, memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  readonly wallMs: number
  readonly heapBytes: number
  readonly rssBytes: number
  /** Written to the disk since the system's start; NaN where the system does not tell. */
  readonly diskBytes: number
}

const SECTOR_BYTES = 512

/**
 * What the disk with the folder for temporary files, where the stores of the measures are, has written, whoever asked for it. Linux
 * alone tells. What it counts for a process is larger: a page that changes counts with all pages that it holds together.
 */
function bytesToDisk(): number {
  const { dev } = statSync(tmpdir())
  const stat = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}/stat`
  const fields = existsSync(stat) ? readFileSync(stat, 'utf8').trim().split(/\s+/) : []
  return Number(fields[6] ?? Number.NaN) * SECTOR_BYTES
}

/** Of this process. `collect`: after a full garbage collection. */
export function usageOfThis(collect = false): Usage {
  if (collect) for (let times = 0; times < 3; times++) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return {
    cpuMs: (user + system) / 1_000,
    wallMs: performance.now(),
    heapBytes: heapUsed + external,
    rssBytes: rss,
    diskBytes: bytesToDisk(),
  }
}

/** CPU and wall time between two looks, in ms, and what was written to disks, in bytes. */
export const between = (before: Usage, after: Usage) => ({
  cpuMs: after.cpuMs - before.cpuMs,
  wallMs: after.wallMs - before.wallMs,
  diskBytes: after.diskBytes - before.diskBytes,
})

export const MB = 2 ** 20
