import { counts } from './counted/counts.ts'

/** What a process has used: CPU since its start and wall time in ms, memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  readonly wallMs: number
  readonly heapBytes: number
  readonly rssBytes: number
  /** What LMDB has given the disk; 0 in a process whose drivers are not counted. */
  readonly diskBytes: number
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
    diskBytes: counts.bytesWritten(),
  }
}

/** CPU and wall time between two looks, in ms, and what was given to the disk, in bytes. */
export const between = (before: Usage, after: Usage) => ({
  cpuMs: after.cpuMs - before.cpuMs,
  wallMs: after.wallMs - before.wallMs,
  diskBytes: after.diskBytes - before.diskBytes,
})

export const MB = 2 ** 20
