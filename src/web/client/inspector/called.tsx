import { clockTime, span } from '../format.ts'
import { Pre } from '../ui.tsx'
import type { Called } from './conversation.ts'

/** What a call was asked to do, and what came of it: of a task whose log the viewer may read. */
export const CalledFacts = ({ called: { tool, input, at, result } }: { readonly called: Called }) => (
  <dl id="called" class="fields">
    <div>
      <dt class="quiet">Called</dt>
      <dd>
        <code>{tool}</code> at {clockTime(at)}
      </dd>
    </div>
    <div>
      <dt class="quiet">Outcome</dt>
      <dd>{outcomeOf(result, at)}</dd>
    </div>
    <div class="whole">
      <dt class="quiet">Input</dt>
      <dd>
        <Pre label={`Input of ${tool}`}>{JSON.stringify(input, null, 2)}</Pre>
      </dd>
    </div>
    {result === null || result.output === '' || result.error !== null ? null : (
      <div class="whole">
        <dt class="quiet">Result</dt>
        <dd>
          <Pre label={`Result of ${tool}`}>{result.output}</Pre>
        </dd>
      </div>
    )}
  </dl>
)

function outcomeOf(result: Called['result'], calledAt: number): string {
  if (result === null) return 'not known yet: it is under way'
  const when = `at ${clockTime(result.at)}, after ${span(result.at - calledAt)}`
  return result.error === null ? `done ${when}` : `failed ${when}: ${result.error}`
}
