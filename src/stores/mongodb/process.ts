import { readFileSync, readlinkSync } from 'node:fs'

/** A process as another one on the same machine finds it again. */
export interface Process {
  readonly pid: number
  /** The machine since it was booted, and the process ids that are seen there (a container has its own); `null` when unknown. */
  readonly machine: string | null
  /** When the process began, in the machine's ticks: a process id is given to another process some day. */
  readonly startedAt: string | null
}

export function thisProcess(): Process {
  const { pid } = process
  return { pid, machine: machineOf(), startedAt: startOf(pid) }
}

/** Whether the process lives; `null` when that cannot be seen from here: another machine, another container, no /proc. */
export function isAlive({ pid, machine, startedAt }: Process): boolean | null {
  if (machine === null || startedAt === null || machine !== machineOf()) return null
  return startOf(pid) === startedAt
}

function machineOf(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** `null` if there is no such process, or it is a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    return state === 'Z' || state === 'X' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
