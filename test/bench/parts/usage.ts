import { readFileSync } from 'node:fs'

/** What a process has used. CPU in ms since its start, memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  /** Of the JavaScript thread alone; `null` where the system does not tell. */
  readonly mainMs: number | null
  readonly heapBytes: number
  readonly rssBytes: number
  readonly wallMs: number
}

/** Of this process. `collect`: after a full garbage collection. */
export function usageOfThis(collect = false): Usage {
  if (collect) for (let times = 0; times < 3; times++) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { heapUsed, rss, external } = process.memoryUsage()
  return {
    cpuMs: (user + system) / 1_000,
    mainMs: mainThreadMs(),
    heapBytes: heapUsed + external,
    rssBytes: rss,
    wallMs: performance.now(),
  }
}

const TICK_MS = 10

/** The kernel's account of the first thread, in ticks. */
function mainThreadMs(): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return null
  }
}

/** What was used between two looks. */
export function between(before: Usage, after: Usage) {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    mainMs: before.mainMs === null || after.mainMs === null ? null : after.mainMs - before.mainMs,
    wallMs: after.wallMs - before.wallMs,
  }
}
