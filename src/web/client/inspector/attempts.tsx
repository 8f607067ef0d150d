import { clockTime, span } from '../format.ts'
import type { Detail } from './use-actor.ts'

/** What is shown of an attempt that an endpoint has answered, or that failed. */
interface Attempt {
  readonly at: number
  readonly durationMs: number
  readonly status: number | null
}

/** The attempts of a webhook delivery that are known, and when the next one is. */
export function Attempts({ detail: { transitions, state, deadlineAt, context } }: { readonly detail: Detail }) {
  const attempts = transitions.flatMap(({ event, payload }) =>
    event === 'attempt.answered' && payload !== null && 'attempt' in payload ? [payload.attempt as Attempt] : [],
  )
  const { count = attempts.length } = context as { readonly count?: number }
  if (attempts.length === 0) return <p class="empty">None has been answered.</p>
  return (
    <ol id="attempts" start={Math.max(1, count - attempts.length + 1)}>
      {attempts.map(({ at, status, durationMs }) => (
        <li key={at}>
          {clockTime(at)} <strong>{status === null ? 'No answer' : `HTTP ${status}`}</strong> after {span(durationMs)}
        </li>
      ))}
      {state === 'waiting' && deadlineAt !== null ? <li>Next at {clockTime(deadlineAt)}</li> : null}
    </ol>
  )
}
