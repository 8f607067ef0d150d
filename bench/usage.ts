import { existsSync, readFileSync } from 'node:fs'

/** What a process has used: CPU since its start and wall time in ms, memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  readonly wallMs: number
  readonly heapBytes: number
  readonly rssBytes: number
  /** Written to disks since its start; NaN where the system does not tell. */
  readonly diskBytes: number
}

/** What this process has had written to disks; Linux alone tells, and nothing of a file system in memory. */
function bytesToDisk(): number {
  const io = '/proc/self/io'
  const found = existsSync(io) ? /^write_bytes: (\d+)$/m.exec(readFileSync(io, 'utf8')) : null
  return Number(found?.[1] ?? Number.NaN)
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
