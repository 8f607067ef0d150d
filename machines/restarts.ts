import { RESTART_WINDOW_MS, RESTARTS_MAX } from './limits.ts'
import type { Ms } from './records.ts'

/** [D14] Those of the restarts of an actor that count: of the last minute. */
export const recentRestarts = (restarts: readonly Ms[] = [], at: Ms): readonly Ms[] =>
  restarts.filter((then) => at - then < RESTART_WINDOW_MS)

/** [D14] Whether an actor with these recent restarts is restarted once more. */
export const mayRestartAgain = (recent: readonly Ms[]): boolean => recent.length < RESTARTS_MAX
