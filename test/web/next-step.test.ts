import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nextOf } from '../../src/web/client/task/next-step.ts'

const test = suite('what helps after the end of a task')

type Ended = Parameters<typeof nextOf>[0]
const NO_LIMITS = { max_steps: null, max_tokens: null, max_cost_usd: null }
/** A task that ended by its budget, with these limits. */
const ended = (limits: object, more: Partial<Ended> = {}): Ended =>
  ({
    ...{ ended_by: 'budget', steps: 12, cost_usd: 0.24, request: { ...NO_LIMITS, ...limits } },
    usage: { inputTokens: 9_000, outputTokens: 900, apiCalls: 12 },
    ...more,
  }) as Ended

test('[P17] a budget names the limit that was reached, whichever others the task had', () => {
  for (const [limits, named] of [
    [{ max_steps: 12 }, 'step'],
    [{ max_steps: 12, max_cost_usd: 5, max_tokens: 100_000 }, 'step'],
    [{ max_tokens: 10_000 }, 'token'],
    [{ max_tokens: 10_000, max_steps: 50 }, 'token'],
    [{ max_cost_usd: 0.25, max_steps: 50, max_tokens: 50_000 }, 'cost'],
    [{ max_cost_usd: 0.25 }, 'cost'],
    // The limit of its workspace.
    [{}, 'cost'],
  ] as const)
    assert.match(nextOf(ended(limits)), `a higher ${named} limit`)
  assert.match(nextOf(ended({ max_cost_usd: 1, max_steps: 12 }, { cost_usd: null })), 'a higher step limit')
})

test('[P17] every other end keeps its advice', () => {
  assert.match(nextOf(ended({ max_cost_usd: 1 }, { ended_by: 'step_limit' })), 'a higher step limit')
  assert.match(nextOf(ended({}, { ended_by: 'cancelled' })), 'Run it again')
  assert.match(nextOf(ended({}, { ended_by: 'something_new' as never })), 'What the task had done stays done')
})

test.run()
