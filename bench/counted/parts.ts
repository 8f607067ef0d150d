import type { Counted, Moment, RoundTrip } from './counts.ts'

/** A step that was followed by another one: all that it caused is behind it when the next result comes in. */
export interface Step {
  readonly result: Moment
  readonly call: Moment
  readonly next: Moment
  readonly roundTrips: readonly RoundTrip[]
}

/** The steps of tasks that ran one after the other, but for the last of each. */
export function stepsOf({ moments, roundTrips }: Counted): Step[] {
  return moments.flatMap((result, n) => {
    const [call, next] = [moments[n + 1], moments[n + 2]]
    if (result.part !== 'result' || call?.part !== 'call' || next?.part !== 'result') return []
    return [{ result, call, next, roundTrips: roundTrips.filter(({ from }) => from >= result.at && from < next.at) }]
  })
}

/** For each start of a task, the round trips that were over before it was answered. */
export function startsOf({ moments, roundTrips }: Counted): RoundTrip[][] {
  return moments.flatMap((request, n) => {
    const response = moments[n + 1]
    if (request.part !== 'request' || response?.part !== 'response') return []
    return [roundTrips.filter(({ from, to }) => from >= request.at && to <= response.at)]
  })
}

/** How many round trips followed each other: the longest row of them in which each began after the one before was over. */
export function inARow(roundTrips: readonly RoundTrip[]): number {
  let length = 0
  let over = Number.NEGATIVE_INFINITY
  for (const { from, to } of [...roundTrips].sort((a, b) => a.to - b.to)) {
    if (from < over) continue
    length++
    over = to
  }
  return length
}
