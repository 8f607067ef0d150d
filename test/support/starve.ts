import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

const CPU = '/sys/fs/cgroup/cpu'
const PERIOD_US = 100_000

function groupOf(name: string): string {
  const group = `${CPU}/${name}`
  mkdirSync(group)
  writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US))
  return group
}

/** Whether `starve` works here: it needs root, and control groups of the first kind. */
export const canStarve = ((): boolean => {
  try {
    rmdirSync(groupOf(`browser-task-${process.pid}`))
    return true
  } catch {
    return false
  }
})()

let groups = 0

/** A process has this share of one core. Gives what lets it have all again; it has them with the end of this process at the latest. */
export function starve(pid: number, share: number): () => void {
  const group = groupOf(`browser-task-${process.pid}-${groups++}`)
  writeFileSync(`${group}/cpu.cfs_quota_us`, String(PERIOD_US * share))
  writeFileSync(`${group}/cgroup.procs`, String(pid))
  const feed = () => {
    process.off('exit', feed)
    // Fails for a process that has ended.
    try {
      writeFileSync(`${CPU}/cgroup.procs`, String(pid))
    } catch {}
    rmdirSync(group)
  }
  process.on('exit', feed)
  return feed
}
