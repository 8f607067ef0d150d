import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('actions on pages that change meanwhile')

const PROTOCOL = /\b(DOM|Runtime|Input|Page|DOMDebugger)\.|Protocol error|[Nn]ode|context|objectId/

/** After the first input that matches, every reading of the page fails with the protocol's words. */
function failReadingsAfter({ tabs }: Driven, input: RegExp): () => void {
  const cdp = tabs.protocolOf('task') as { send(method: string, params?: object): Promise<unknown> }
  const { send } = cdp
  let isSent = false
  cdp.send = async (method, params) => {
    if (isSent && /^(Runtime|DOM|DOMDebugger)\./.test(method))
      throw new Error(`Protocol error (${method}): No node with given id found`)
    const answer = await send(method, params)
    isSent ||= input.test(`${method} ${JSON.stringify(params)}`)
    return answer
  }
  return () => {
    cdp.send = send
  }
}

const PRESS = /mousePressed/
const ACTIONS: readonly [line: RegExp, tool: string, input: object, sent: RegExp, said: RegExp][] = [
  [/button "Press"/, 'computer', { action: 'left_click' }, PRESS, /^Clicked e\d+\./],
  [/button "Press"/, 'computer', { action: 'double_click' }, PRESS, /^Double-clicked e\d+\./],
  [/textbox/, 'computer', { action: 'type', text: 'x' }, /keyDown/, /^Typed "x" into e\d+\./],
  [/textbox/, 'computer', { action: 'key', text: 'Enter' }, /keyDown/, /^Pressed Enter\./],
  [/textbox/, 'form_input', { value: 'Ada' }, /insertText/, /^Input was sent to e\d+\./],
  [/combobox/, 'form_input', { value: 'two' }, /insertReplacementText/, /^e\d+ was set\./],
  [/checkbox/, 'form_input', { value: true }, PRESS, /^Input was sent to e\d+\./],
]
for (const [line, tool, input, sent, said] of ACTIONS) {
  test(`[G32] ${tool} ${JSON.stringify(input)} has been done, though the page cannot be read afterwards`, async (driven) => {
    await driven.open('/changing')
    const ref = await driven.ref(line)
    const restore = failReadingsAfter(driven, sent)
    try {
      const answer = await driven.text(tool, { ref, ...input })
      assert.match(answer, said)
      assert.match(answer, /The page could not be read afterwards\./)
      assert.not.match(answer, PROTOCOL)
    } finally {
      restore()
    }
    assert.ok(Number(await driven.value('events')) > 0, 'the page got it')
  })
}

test('[G32] a click that leaves the page while it is read tells the page that came', async (driven) => {
  await driven.open('/changing')
  const ref = await driven.ref(/button "Press"/)
  const cdp = driven.tabs.protocolOf('task') as { send(method: string, params?: object): Promise<unknown> }
  const { send } = cdp
  let failures = 2
  cdp.send = async (method, params) => {
    if (method === 'DOMDebugger.getEventListeners' && failures-- > 0) throw new Error('DOM.resolveNode: No node found')
    return send(method, params)
  }
  const answer = await driven.text('computer', { action: 'left_click', ref })
  cdp.send = send
  assert.match(answer, /^Clicked e\d+\.\n/)
  assert.not.match(answer, /could not be read/)
})

test('[G32] what fails before the input leaves is a failure, without words of the protocol', async (driven) => {
  await driven.open('/changing')
  const ref = await driven.ref(/button "Press"/)
  const restore = failReadingsAfter(driven, /^Page\.|^Runtime\./)
  const failure = await driven.failure('computer', { action: 'left_click', ref })
  restore()
  assert.not.match(failure, PROTOCOL)
  assert.is(await driven.value('events'), 0)
})

test('[G24] a control that is drawn anew 10 times a second is clicked on a browser that answers late', async (driven) => {
  await driven.open('/redrawn')
  const cdp = driven.tabs.protocolOf('task') as { send(method: string, params?: object): Promise<unknown> }
  const { send } = cdp
  const ref = await driven.ref(/button "Again"/)
  cdp.send = async (method, params) => {
    if (!method.startsWith('Input.')) await new Promise((resolve) => setTimeout(resolve, 25))
    return send(method, params)
  }
  const answer = await driven.text('computer', { action: 'left_click', ref })
  cdp.send = send
  assert.match(answer, /^Clicked e\d+\./)
  assert.ok(Number(await driven.value('clicks')) > 0)
})

test('[G24] one that is gone fails at once, one that is redrawn behind a cover when its time is over', async (driven) => {
  await driven.open('/redrawn')
  const ref = await driven.ref(/button "Again"/)
  await driven.value(`(document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0"></div>'), 1)`)
  const failure = await driven.failure('computer', { action: 'left_click', ref })
  assert.match(failure, /^Element e\d+ is (covered|drawn anew)/)
  assert.not.match(failure, PROTOCOL)
  await driven.value('(stop(), 1)')
  assert.match(
    await driven.failure('computer', { action: 'left_click', ref }),
    /^Element e\d+ is no longer on the page/,
  )
})

const node = (name: string, x: number) =>
  `<g transform="translate(${x} 20)" onclick="globalThis.said = '${name}'"><g><text x=10 y=20 style="cursor:pointer">${name}</text></g><rect width=120 height=30 fill=none pointer-events=all /></g>`

test('[G24] a text on a shape of a drawing is the label of that shape, and not of another one over it', async (driven) => {
  await driven.open('/second')
  const draw = (second: number) =>
    driven.value(
      `(document.body.innerHTML = ${JSON.stringify(`<svg width=600 height=80><g>${node('inject', 20)}${node('debug', second)}</g></svg>`)}, 1)`,
    )
  await draw(300)
  const ref = await driven.ref(/clickable "inject"/)
  await driven.text('computer', { action: 'left_click', ref })
  assert.is(await driven.value('said'), 'inject')
  await draw(25)
  const covered = await driven.ref(/clickable "inject"/)
  assert.match(await driven.failure('computer', { action: 'left_click', ref: covered }), /^Element e\d+ is covered/)
})

await test.run()
