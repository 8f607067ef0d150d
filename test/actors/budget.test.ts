import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reserved } from '../../actors/conversation/ask.ts'
import { chosenModel } from '../../actors/conversation/chosen-model.ts'
import { Conversation } from '../../actors/conversation/conversation.ts'
import type { Model } from '../../actors/runtime/ports.ts'
import { leftOf, NO_BUDGET, settled } from '../../machines/budget.ts'
import { NO_USAGE } from '../../machines/records.ts'
import { modelTable } from '../../src/models/prices.ts'
import { toolbox } from '../../src/models/toolbox.ts'
import { Random } from '../simulation/random.ts'
import { anEntry } from '../support/stores.ts'

const test = suite('budget of a conversation')

const ID = 'claude-sonnet-5-5'
const { costUsd } = modelTable()
const ask = () => Promise.reject(new Error('not asked'))
const model: Model = { id: ID, provider: 'test', costUsd, ask }
const prompt = { system: 'You do tasks.', tools: toolbox.specs([]) }
const aConversation = () => new Conversation({ task: 'Buy tea', url: null, context: null, createdAt: 0 }, 200_000)
const UNLIMITED = { lastStep: false, lastMinute: false, tokens: null, costUsd: null }

test('[L35] the first call is reserved with its prompt and its tools', () => {
  const at = (tokens: number) => reserved({ ...UNLIMITED, tokens }, aConversation(), prompt, model)
  assert.is(reserved(UNLIMITED, aConversation(), prompt, model), 'free')
  assert.is(at(1_000), 'spent')
  assert.is(at(6_000), 'budget')
  assert.is(at(40_000), 'free')
  assert.is(reserved({ ...UNLIMITED, lastStep: true }, aConversation(), prompt, model), 'steps')
  assert.is(reserved({ ...UNLIMITED, lastMinute: true }, aConversation(), prompt, model), 'time')
})

for (const limit of ['tokens', 'costUsd'] as const)
  test(`[L35] whatever calls take, ${limit} are never exceeded by more than one call`, () => {
    const random = new Random(limit === 'tokens' ? 1 : 2)
    for (let round = 0; round < 200; round++) {
      const amount = limit === 'tokens' ? random.whole(1_000, 400_000) : random.whole(1, 100) / 100
      const budget = { ...NO_BUDGET, [limit]: amount }
      const conversation = aConversation()
      let spent = { budget, endsSoon: false, step: 0, usage: NO_USAGE, costUsd: 0, warnedAt: null as number | null }
      const total = () => (limit === 'tokens' ? spent.usage.inputTokens + spent.usage.outputTokens : spent.costUsd)
      for (let step = 1; step <= 50; step++) {
        const room = reserved(leftOf(spent), conversation, prompt, model)
        if (room === 'spent') break
        assert.ok(total() <= amount, `round ${round}: call ${step} was made with the budget used up`)
        const cached = random.whole(0, 1) * conversation.tokens
        const inputTokens = conversation.tokens + random.whole(0, 8_000)
        const usage = {
          ...{ inputTokens, outputTokens: random.whole(20, 4_000), apiCalls: 1 },
          ...(cached > 0 ? { cachedTokens: Math.min(cached, inputTokens) } : {}),
        }
        spent = { ...spent, ...settled(spent, { usage, costUsd: costUsd(ID, usage) ?? 0 }) }
        const call = { requestId: `r${step}`, tool: 'find', input: {}, refusal: null }
        conversation.addReply({ kind: 'reply', step, text: 'I look.', calls: [call], usage, model: ID, at: 0 })
        conversation.addResult({ ...anEntry('x'.repeat(random.whole(0, 20_000))), step }, null)
        if (room !== 'free') break
      }
    }
  })

test('[L36] a task’s model is one of the choices, or the usual one', () => {
  const other: Model = { id: 'other', provider: 'test', ask }
  const both = { ...model, choices: new Map([['other', other]]) }
  assert.is(chosenModel(both, 'other'), other)
  assert.is(chosenModel(both, null), both)
  assert.is(chosenModel(both, 'gone'), both)
})

test.run()
