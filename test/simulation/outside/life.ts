import type { Clock, Log } from '../../../actors/runtime/ports.ts'
import type { Owner, Planned, Scheduler } from '../engine/scheduler.ts'

/** One life of a process: what it planned does not happen once it is dead. */
export interface Life extends Owner {
  readonly number: number
  /** What hears of its death. */
  readonly mourners: Set<() => void>
}

/** The clock of a process: it is off by so much, and its timers end with the process. */
export const clockOf = (scheduler: Scheduler, life: Life, skewMs: () => number): Clock => ({
  now: () => Math.floor(scheduler.time + skewMs()),
  monotonic: () => scheduler.time,
  setTimeout: (fn, ms) => scheduler.after(ms, life, 'timer', fn),
  clearTimeout: (planned) => {
    if (planned) scheduler.cancel(planned as Planned)
  },
})

export type WatchLog = (level: 'warn' | 'error', fields: object, message: string) => void

/** What a process logs is part of what happens. */
export function logOf(scheduler: Scheduler, life: Life, watchLog: WatchLog): Log {
  const say = (level: 'warn' | 'error') => (fields: object, message: string) => {
    if (!life.alive) return
    scheduler.trace.happened(`${level}: ${message} ${JSON.stringify(fields)}`.slice(0, 200))
    watchLog(level, fields, message)
  }
  return { debug: () => {}, info: () => {}, warn: say('warn'), error: say('error') }
}
