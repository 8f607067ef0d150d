import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DEMO_SCRIPT, DEMO_TASK } from '../../src/demo/script.ts'
import { readScript } from '../../src/models/script/script.ts'
import { toolbox } from '../../src/models/toolbox.ts'

const test = suite('demo script')

const part = readScript(DEMO_SCRIPT).at(-1)
const calls = part?.steps.flatMap((step) => ('calls' in step ? step.calls : [])) ?? []

test('is played for the task of the demo, and for no other', () => {
  assert.ok(part?.when?.test(DEMO_TASK))
  assert.not.ok(part?.when?.test('Find the weather in Oslo'))
})

test('asks for calls that the toolbox lets through', () => {
  assert.ok(calls.length > 0)
  for (const { tool, input } of calls) {
    const checked = toolbox.check(tool, input)
    assert.ok(checked.ok, checked.ok ? '' : checked.message)
  }
})

test('has at least six steps: search, read, a form with text, select and checkbox, submit, read, answer', () => {
  assert.ok((part?.steps.length ?? 0) >= 6)
  const filled = calls.filter(({ tool }) => tool === 'form_input').map(({ input }) => String(input.ref))
  for (const kind of ['searchbox', 'textbox', 'combobox', 'checkbox', 'spinbutton']) {
    assert.ok(
      filled.some((ref) => ref.includes(kind)),
      kind,
    )
  }
  assert.is(calls.at(-1)?.tool, 'get_page_text')
  const last = part?.steps.at(-1)
  assert.match(last && 'answer' in last ? last.answer : '', /\{\{match:.*Order number.*\{\{match:.*Total to pay/)
})

test('says nothing in its answer that it did not read from a page', () => {
  const last = part?.steps.at(-1)
  const own = (last && 'answer' in last ? last.answer : '').replace(/\{\{.*?\}\}/g, '')
  assert.not.match(own, /\d/)
})

test.run()
