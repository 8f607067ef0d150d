import { setTimeout as pause } from 'node:timers/promises'

/** How long a call waits for others like it. */
const TOGETHER_MS = 5

/** Waits; a simulation gives its own. */
export type Pause = (ms: number) => Promise<unknown>

/** Calls of one moment become one: `run` begins after all of them were made, and gives an answer for each. */
export function together<Asked, Answer>(
  run: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
  wait: Pause = pause,
): (asked: Asked) => Promise<Answer> {
  let waiting: Asked[] = []
  let answers: Promise<readonly Answer[]> | null = null
  return async (asked) => {
    const index = waiting.push(asked) - 1
    answers ??= wait(TOGETHER_MS).then(() => {
      const all = waiting
      waiting = []
      answers = null
      return run(all)
    })
    return (await answers)[index] as Answer
  }
}
