import { ScrollBox } from './scroll-box.tsx'
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
  const next = state === 'waiting' ? deadlineAt : null
  if (attempts.length === 0 && next === null) return <p class="empty">No attempt has been answered yet.</p>
  const first = Math.max(1, count - attempts.length + 1)
  return (
    <ScrollBox label="Attempts">
      <table id="attempts">
        <thead>
          <tr>
            {['No.', 'Time', 'Result', 'ms'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ at, status, durationMs }, index) => (
            <tr key={at}>
              <td>{first + index}</td>
              <td>{dayTime(at)}</td>
              <td>{status === null ? 'No answer' : `HTTP ${status}`}</td>
              <td>{Math.round(durationMs).toLocaleString('en')}</td>
            </tr>
          ))}
          {next === null ? null : (
            <tr class="quiet">
              <td>{first + attempts.length}</td>
              <td>{dayTime(next)}</td>
              <td>Next attempt</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const dayTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB')
