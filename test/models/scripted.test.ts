import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log, Message, ToolSpec } from '../../actors/runtime/ports.ts'
import { openModel, ScriptError } from '../../src/models/open.ts'
import type { Script } from '../../src/models/script/script.ts'
import { never, quiet, replied } from './conversation.ts'

const SETTINGS = { provider: 'scripted', model: null, baseUrl: null, apiKey: null } as const
const open = (script: string | Script | null, log: Log = quiet) => openModel({ ...SETTINGS, script }, log)

const user = (text: string): Message => ({ role: 'user', text })
const asked = (tool: string): Message => ({ role: 'assistant', text: '', calls: [{ id: '1', tool, input: {} }] })
const got = (tool: string, text: string): Message => ({
  role: 'tool',
  results: [{ id: '1', tool, text, failed: false, image: null }],
})
/** A failure of the model reads `failed: …`. */
const ask = async (script: Script | null, ...given: (Message | readonly ToolSpec[])[]) => {
  const messages = given.filter((each): each is Message => 'role' in each)
  const tools = given.find((each): each is readonly ToolSpec[] => Array.isArray(each)) ?? []
  const reply = await open(script).ask({ system: '', messages, tools, maxTokens: 1 }, never)
  return reply.kind === 'reply' ? reply : { ...NO_REPLY, text: `failed: ${reply.message}` }
}
const NO_REPLY = { calls: [], inputTokens: 0, outputTokens: 0, model: '' }

const PAGE = `Page: Shop
- heading "Mugs" [ref=e1]
- listitem
  - text "Blue mug"
  - button "Add" [ref=e7]
- listitem
  - text "Red mug"
  - button "Add" [ref=e9]
- button "Add a gift card" [ref=e10]
- button "Buy e5" [ref=e11]
- textbox "Name" [e12] value ""
- link "Help" ref=e13
- checkbox "Gift" (ref_14)
- textbox "Card number" [f2e15]
- text "no ref here"`

const clicking = (ref: string): Script => ({ steps: [{ tool: 'computer', input: { action: 'left_click', ref } }] })
const refOf = async (reference: string) => {
  const script: Script = { steps: [{ tool: 'read_page' }, { tool: 'computer', input: { ref: reference } }] }
  const reply = await ask(script, user('x'), asked('read_page'), got('read_page', PAGE))
  const [call] = reply.calls
  return call ? (call.input as { ref: string }).ref : reply.text
}

const playing = suite('scripted: playing')

playing('[L16] plays one step per assistant message, and ends every answer with the mark', async () => {
  const script: Script = {
    steps: [
      { say: 'First.', tool: 'navigate', input: { url: 'http://shop' } },
      { calls: [{ tool: 'read_page' }, { tool: 'computer', input: { action: 'screenshot' } }] },
      { answer: 'Done.' },
    ],
  }
  const first = await ask(script, user('Shop'))
  assert.equal([first.text, first.calls], ['First.', [{ tool: 'navigate', input: { url: 'http://shop' } }]])
  assert.equal([first.inputTokens, first.outputTokens, first.model], [0, 0, 'scripted'])
  const conversation = [user('Shop'), asked('navigate'), got('navigate', 'ok')]
  const second = await ask(script, ...conversation)
  assert.equal(second.calls, [
    { tool: 'read_page', input: {} },
    { tool: 'computer', input: { action: 'screenshot' } },
  ])
  // The same conversation gives the same step, from a model that was opened again.
  assert.equal(await ask(script, ...conversation), second)
  const third = await ask(script, ...conversation, asked('read_page'), got('read_page', 'ok'))
  assert.equal([third.text, third.calls], ['Done. (scripted)', []])
  const offered = [{ name: 'finish', description: '', schema: {} }]
  const finishing = await ask(script, offered, ...conversation, asked('read_page'), got('read_page', 'ok'))
  const finish = { tool: 'finish', input: { success: true, answer: 'Done. (scripted)' } }
  assert.equal([finishing.text, finishing.calls], ['', [finish]], 'where there is finish, it ends the task')
  const check = [
    ...conversation,
    asked('read_page'),
    got('read_page', 'ok'),
    asked('finish'),
    got('finish', 'Check it.'),
  ]
  assert.equal((await ask(script, offered, ...check)).calls, [finish], 'asked to check it, it says the same')
  const endless: Script = { steps: [{ say: 'I look.' }] }
  const words = await ask(endless, user('Shop'))
  assert.equal([words.text, words.calls], ['I look.', []])
  assert.is((await ask(endless, user('Shop'), asked('a'))).text, 'failed: The script ended without an answer.')
})

playing('chooses the first part whose pattern matches the task', async () => {
  const script: Script = {
    scripts: [
      { when: 'mug', steps: [{ answer: 'Mugs.' }] },
      { when: '^weather', steps: [{ answer: 'Rain.' }] },
    ],
  }
  assert.is((await ask(script, user('Buy a MUG'))).text, 'Mugs. (scripted)')
  assert.is((await ask(script, user('Weather in Graz'))).text, 'Rain. (scripted)')
  const none = await ask(script, user('The weather'))
  assert.match(none.text, /^failed: The script has no part for this task\./)
})

playing('[L27] without a script says that no model is configured, and how to set one', async () => {
  const { text, calls } = await ask(null, user('Buy a mug'))
  assert.match(text, /^failed: No language model is configured\. Set ANTHROPIC_API_KEY/)
  assert.is(open(null).configured, false)
  assert.is(open({ steps: [{ answer: 'a' }] }).configured, true)
  assert.equal(calls, [])
})

playing('[L16] says once in the log that it is scripted', async () => {
  const lines: string[] = []
  const model = open({ steps: [{ answer: 'a' }] }, { ...quiet, warn: (_, message) => lines.push(message) })
  for (let count = 0; count < 3; count++) {
    await model.ask({ system: '', messages: [user('x')], tools: [], maxTokens: 1 }, never)
  }
  assert.equal(lines, ['The scripted provider is in use: scripts are played, no language model is asked.'])
})

playing('[T49] an aborted signal rejects', async () => {
  const reason = new Error('cancelled')
  const request = { system: '', messages: [user('x')], tools: [], maxTokens: 1 }
  let thrown: unknown
  await open(null)
    .ask(request, AbortSignal.abort(reason))
    .catch((error) => {
      thrown = error
    })
  assert.is(thrown, reason)
})

playing.run()

const referring = suite('scripted: references')

referring('finds the ref of an element by role and name in any of the ways in which a line carries it', async () => {
  assert.is(await refOf('{{ref:heading "Mugs"}}'), 'e1')
  assert.is(await refOf('{{ref:button "Add"}}'), 'e7')
  assert.is(await refOf('{{ref:button "gift card"}}'), 'e10')
  assert.is(await refOf('{{ref:button "Add" after "Red mug"}}'), 'e9')
  assert.is(await refOf('{{ref:button "Buy e5"}}'), 'e11')
  assert.is(await refOf('{{ref:textbox "Name"}}'), 'e12')
  assert.is(await refOf('{{ref:link "Help"}}'), 'e13')
  assert.is(await refOf('{{ref:checkbox "Gift"}}'), 'ref_14')
  assert.is(await refOf('{{ref:"Help"}}'), 'e13')
  assert.is(await refOf('{{ref:textbox "Card number"}}'), 'f2e15')
})

referring('a ref that is not on the page ends with an answer that says so', async () => {
  assert.is(await refOf('{{ref:button "Pay"}}'), 'failed: The script stopped: the page has no element button "Pay".')
  assert.is(await refOf('{{ref:link "Mugs"}}'), 'failed: The script stopped: the page has no element link "Mugs".')
  assert.match(await refOf('{{ref:"no ref here"}}'), 'has no element')
  assert.match(await refOf('{{ref:button "Add" after "Green mug"}}'), 'the page has no line with "Green mug"')
  const unread = await ask(clicking('{{ref:button "Add"}}'), user('x'))
  assert.equal(
    [unread.text, unread.calls],
    ['failed: The script stopped: the page was not read before a ref was needed.', []],
  )
})

referring('takes refs only from the latest reading of the page', async () => {
  const script: Script = { steps: [{ tool: 'a' }, { tool: 'b' }, { tool: 'c', input: { ref: '{{ref:link "Help"}}' } }] }
  const before = [user('x'), asked('read_page'), got('read_page', PAGE)]
  const click = await ask(script, ...before, asked('computer'), got('computer', 'clicked'))
  assert.equal(click.calls, [{ tool: 'c', input: { ref: 'e13' } }])
  const changed = await ask(script, ...before, asked('find'), got('find', '- button "Other" [ref=e2]'))
  assert.match(changed.text, 'has no element link "Help"')
})

referring('takes matches from the latest results and the task, within longer texts and nested input', async () => {
  const script: Script = {
    steps: [
      { tool: 'form_input', input: { value: 'for {{task:/buy (\\w+)/i}}', deep: [{ a: '{{task:/\\d{2}/}}', b: 7 }] } },
      { answer: 'It costs {{match:/Total: (\\S+)/}} in {{match:/(\\d+) pieces/}} pieces.' },
    ],
  }
  const first = await ask(script, user('Buy mugs, 42 of them'))
  assert.equal(first.calls[0]?.input, { value: 'for mugs', deep: [{ a: '42', b: 7 }] })
  const page = (text: string) => ask(script, user('x'), asked('get_page_text'), got('get_page_text', text))
  assert.is((await page('3 pieces\nTotal: €12.50')).text, 'It costs €12.50 in 3 pieces. (scripted)')
  assert.is((await page('3 pieces\nTotal: €13.00')).text, 'It costs €13.00 in 3 pieces. (scripted)')
  const nothing = await page('3 pieces, sold out')
  assert.is(nothing.text, 'failed: The script stopped: nothing matches /Total: (\\S+)/ in the last results.')
})

referring('an older result is not asked for a match', async () => {
  const script: Script = { steps: [{ tool: 'a' }, { tool: 'b' }, { answer: '{{match:/Total: (\\S+)/}}' }] }
  const old = [user('x'), asked('get_page_text'), got('get_page_text', 'Total: 1')]
  assert.match((await ask(script, ...old, asked('computer'), got('computer', 'clicked'))).text, 'nothing matches')
})

referring.run()

const reading = suite('scripted: reading a script')
const folder = mkdtempSync(join(tmpdir(), 'script-'))
const file = (text: string) => {
  const path = join(folder, 'script.json')
  writeFileSync(path, text)
  return path
}
const complaint = (script: string | object) => {
  try {
    open(script as Script)
  } catch (error) {
    if (error instanceof ScriptError) return error.message
    throw error
  }
  return 'accepted'
}

reading('reads a JSON file', async () => {
  const model = open(file('{"steps": [{"answer": "From a file."}]}'))
  const reply = replied(await model.ask({ system: '', messages: [user('x')], tools: [], maxTokens: 1 }, never))
  assert.is(reply.text, 'From a file. (scripted)')
})

reading('a script that cannot be played is refused with its file and the place in it', () => {
  assert.is(complaint(join(folder, 'none.json')), `LLM_SCRIPT ${join(folder, 'none.json')} cannot be read (ENOENT)`)
  assert.match(complaint(file('{"steps": [')), /^LLM_SCRIPT .*script\.json is not valid JSON: /)
  assert.match(complaint(file('{"steps": [{"answer": 7}]}')), /script\.json is not valid: steps\[0\]\.answer: /)
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[], /the whole: |steps: /],
    [{}, /: steps: /],
    [{ steps: [] }, /: steps: /],
    [{ steps: ['x'] }, /: steps\[0\]: /],
    [{ steps: [{}] }, /: steps\[0\]\.answer: /],
    [{ steps: [{ tool: '' }] }, /: steps\[0\]\.tool: /],
    [{ steps: [{ tool: 'a', inputs: {} }] }, /: steps\[0\]\.inputs: /],
    [{ steps: [{ calls: [] }] }, /: steps\[0\]\.calls: /],
    [
      { steps: [{ tool: 'a', input: { b: ['{{ref:button}}'] } }] },
      /: steps\[0\]\.input\.b\[0\]: .*does not name an element/,
    ],
    [{ steps: [{ answer: '{{match:/(/}}' }] }, /: steps\[0\]\.answer: .*Invalid regular expression/],
    [{ steps: [{ answer: '{{what:x}}' }] }, /: steps\[0\]\.answer: .*unknown kind/],
    [{ scripts: [] }, /: scripts: /],
    [{ scripts: [{ when: '(', steps: [{ answer: 'a' }] }] }, /: scripts\[0\]\.when: .*Invalid regular expression/],
    [{ scripts: [{ steps: [{ answer: 'a' }] }, { steps: [{ answer: 1 }] }] }, /: scripts\[1\]\.steps\[0\]\.answer: /],
  ]
  for (const [script, expected] of wrong) assert.match(complaint(script as object), expected, JSON.stringify(script))
})

reading.after(() => rmSync(folder, { recursive: true }))
reading.run()
