import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requestOf } from '../../actors/conversation/sent-request.ts'
import type { ModelRequest } from '../../actors/runtime/ports.ts'
import { aScene, calling, settled } from '../support/scene.ts'

const test = suite('what a model was sent')

/** The words of a request, as the model had it. */
const wordsOf = ({ system, tools, messages }: ModelRequest) => ({
  system,
  tools: tools.map(({ name }) => name),
  messages: messages.map(({ role, ...message }) => [
    role,
    ...('results' in message ? message.results.map(({ text }) => text) : [message.text]),
  ]),
})

test('[P42] what each step’s model was sent is rebuilt from the log of a task that has ended', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = () => ({ output: 'Green tea, 4.80' })
  const id = await scene.task(browser, { task: 'Find {{secret:word}}', context: 'For two.' })
  const sent: ReturnType<typeof wordsOf>[] = []
  const replies = [
    calling(['find', { query: 'tea' }]),
    calling(['find', { query: 'pots' }], ['find', { query: 'cups' }]),
    calling(['finish', { success: false, answer: 'Tea, pots and cups.' }]),
  ]
  for (const [n, reply] of replies.entries()) {
    if (n === 1) await scene.taskService.sendMessage(scene.workspaceId, id, { text: 'And cups', interrupt: false })
    sent.push(wordsOf(scene.model.last as ModelRequest))
    scene.model.answer(reply)
    await settled()
  }
  const record = scene.record(id)
  assert.is(record.status, 'error')
  for (const [n, { system, tools, messages }] of sent.entries()) {
    const rebuilt = await requestOf(scene.system.ports, record, n + 1)
    assert.equal([rebuilt?.system, rebuilt?.tools], [system, tools])
    assert.equal(
      rebuilt?.messages.map(({ role }) => role),
      messages.map(([role]) => role),
    )
    for (const [at, [, ...texts]] of messages.entries())
      for (const text of texts) assert.ok(rebuilt?.messages[at]?.text.includes(text), text)
  }
  // The message of the user came while the second reply was awaited: the third request has it, as the rebuilt one does.
  assert.match(JSON.stringify(sent[2]), /And cups/)
  assert.is(await requestOf(scene.system.ports, record, 4), null)
})

test.run()
