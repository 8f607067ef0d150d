import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { approvalReason, intentOf } from '../../actors/conversation/approvals.ts'
import type { Message } from '../../actors/conversation/model-port.ts'
import { termsOf } from '../../machines/input-request.ts'
import { toolbox } from '../../src/tools/toolbox.ts'

const test = suite('approvals')

const page = (text: string): Message[] => [
  { role: 'tool', results: [{ id: 'r', tool: 'read_page', text, failed: false, image: null }] },
]
const reason = (
  tool: string,
  input: Record<string, unknown>,
  text = '',
  approvals: 'irreversible' | 'always' = 'irreversible',
) => approvalReason({ tool, input, intent: intentOf(input) }, { approvals, messages: page(text) })

const PAGE = 'button "Buy now" [e12]\nlink "Details" [e13]\ntextbox "Amount" [e14]\nbutton "Löschen" [e15]'

for (const [what, tool, input, gated] of [
  ['a button that buys', 'computer', { action: 'left_click', ref: 'e12' }, true],
  ['a button that buys, as models write refs', 'computer', { action: 'left_click', ref: '[ref=e12]' }, true],
  ['one in another language', 'computer', { action: 'double_click', ref: 'e15' }, true],
  ['a link to details', 'computer', { action: 'left_click', ref: 'e13' }, false],
  ['a coordinate where a button may be', 'computer', { action: 'left_click', coordinate: [10, 20] }, true],
  ['Enter, which may submit', 'computer', { action: 'key', text: 'Enter' }, true],
  ['another key', 'computer', { action: 'key', text: 'ArrowDown' }, false],
  ['a look', 'computer', { action: 'screenshot' }, false],
  ['an upload', 'files', { action: 'upload', ref: 'e1' }, true],
  ['a script that clicks', 'javascript_tool', { action: 'javascript_exec', text: 'b.click()' }, true],
  ['a script that reads', 'javascript_tool', { action: 'javascript_exec', text: 'document.title' }, false],
  ['a field', 'form_input', { ref: 'e14', value: '5' }, false],
  [
    'a field that the model says cannot be undone',
    'form_input',
    { ref: 'e14', value: '5', intent: 'irreversible' },
    true,
  ],
  [
    'a link that the model says cannot be undone',
    'computer',
    { action: 'left_click', ref: 'e13', intent: 'irreversible' },
    true,
  ],
  [
    'a purchase that the model says is ordinary',
    'computer',
    { action: 'left_click', ref: 'e12', intent: 'ordinary' },
    true,
  ],
] as const)
  test(`[I6] ${what}: ${gated ? 'asked' : 'not asked'}`, () => assert.is(reason(tool, input, PAGE) !== null, gated))

test('[I6] a button that was read long ago has its name still; what nobody has read is asked for', () => {
  const messages = [...page(PAGE), ...Array.from({ length: 9 }, () => page('Filled in.')).flat()]
  const press = (ref: string) =>
    approvalReason(
      { tool: 'computer', input: { action: 'left_click', ref }, intent: 'ordinary' },
      { approvals: 'irreversible', messages },
    )
  assert.match(press('e12') ?? '', 'Buy now')
  assert.is(press('e13'), null)
  assert.match(press('e99') ?? '', 'not known')
})

test('[I6] any button on a page with fields of payment', () => {
  const text = 'textbox "Card number" [e1]\nbutton "Next" [e2]\nlink "Help" [e3]'
  assert.ok(reason('computer', { action: 'left_click', ref: 'e2' }, text))
  assert.is(reason('computer', { action: 'left_click', ref: 'e3' }, text), null)
})

test('[I6] the newest name of a ref counts', () => {
  const messages = [...page('button "Next" [e2]'), ...page('button "Pay € 5" [e2]')]
  const call = { tool: 'computer', input: { action: 'left_click', ref: 'e2' }, intent: 'ordinary' as const }
  assert.match(approvalReason(call, { approvals: 'irreversible', messages }) ?? '', /Pay € 5/)
})

test('[I5] never asks for nothing; always asks for whatever acts', () => {
  const buy = { tool: 'computer', input: { action: 'left_click', ref: 'e12' }, intent: 'irreversible' as const }
  assert.is(approvalReason(buy, { approvals: 'never', messages: page(PAGE) }), null)
  assert.ok(reason('navigate', { url: 'https://a.example' }, '', 'always'))
  assert.ok(reason('form_input', { ref: 'e14', value: '5' }, '', 'always'))
  for (const tool of ['read_page', 'find', 'get_page_text', 'finish', 'ask_user'])
    assert.is(reason(tool, {}, '', 'always'), null)
})

test('[I7] terms are the address and the amounts, in any spelling of a currency', () => {
  const of = (output: string) => termsOf({ status: 'done', output, screenshot: null })
  assert.equal(of('Cart – https://shop.example/cart\nTea 12.50 €, pot EUR 40\nTotal: $ 1,052.50. 3 items'), [
    'Cart – https://shop.example/cart',
    '12.50 €',
    'EUR 40',
    '$ 1,052.50',
  ])
  assert.equal(of('nothing to pay'), [''])
})

test('[I3] ask_user and intent are offered to tasks that opt in, and to no other', () => {
  const names = (asksUser: boolean) => toolbox.specs([], null, { asksUser, approves: false }).map(({ name }) => name)
  assert.ok(names(true).includes('ask_user'))
  assert.not(names(false).includes('ask_user'))
  assert.is(toolbox.check('ask_user', { question: 'Which?' }, null, true).ok, true)
  const refused = toolbox.check('ask_user', { question: 'Which?' })
  assert.is(!refused.ok && /There is no tool "ask_user"/.test(refused.message), true)
  const computer = (approves: boolean) =>
    JSON.stringify(toolbox.specs([], null, { asksUser: false, approves }).find(({ name }) => name === 'computer'))
  assert.match(computer(true), /"intent"/)
  assert.not.match(computer(false), /"intent"/)
})

test.run()
