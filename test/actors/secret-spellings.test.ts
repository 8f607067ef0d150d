import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { secretsOf } from '../../src/main/own-store.ts'
import { sealedFor } from '../../src/wire/secrets.ts'
import { ALL_SPELLINGS, aValue, leakOf, randomOf } from '../support/redaction-cases.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('spellings of secrets, through the service')

/** Every text that is kept, or was told to a model, a webhook or the log; and all of it as JSON. */
function textsOf({ store, lines, webhooks, model }: Scene): string {
  const maps = [store.tasks, store.logs, store.rows].map((map) => [...map.values()])
  const all = JSON.stringify([...maps, store.events, store.commits, lines, webhooks, model.last])
  const texts: string[] = []
  JSON.parse(all, (key, value: unknown) => {
    texts.push(key)
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\u0001')
}

async function leaks(seed: number): Promise<string | null> {
  const random = randomOf(seed)
  const value = aValue(random, 8)
  const spelled = () => {
    const [, write] = ALL_SPELLINGS[Math.floor(random() * ALL_SPELLINGS.length)] as (typeof ALL_SPELLINGS)[number]
    return `(${write(value)})`
  }
  const scene = await aScene()
  const box = createSecretBox(randomBytes(32))
  scene.secrets = secretsOf(box)
  await scene.reopen()
  const browser = scene.browser(2, {}, false)
  browser.tools = ['secrets']
  browser.connect()
  const taskId = randomUUID()
  const given = [{ name: 's', kind: 'value', value, domains: ['shop.example'], description: null }] as const
  const id = await scene.task(browser, { taskId, asksUser: true, secrets: sealedFor(taskId, given, box) })
  browser.result = () => ({
    output: spelled(),
    said: `Typed ${spelled()}.`,
    page: { content: spelled(), url: `https://shop.example/?q=${encodeURIComponent(value)}` },
  })
  const reply = calling(['form_input', { ref: 'e1', value: '{{secret:s}}' }], ['find', { query: spelled() }])
  scene.model.answer({ ...reply, ...{ text: spelled() } })
  await settled()
  browser.result = () => ({ error: spelled(), page: { content: spelled() } })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  await scene.taskService.sendMessage(scene.workspaceId, id, { text: spelled(), interrupt: false })
  scene.model.answer(calling(['ask_user', { question: `Is it ${spelled()}?` }]))
  await settled()
  const view = await scene.taskService.task(scene.workspaceId, id)
  const requestId = view?.inputRequest?.id
  assert.ok(requestId, 'the user is asked')
  const content = spelled()
  await scene.taskService.answerInput(scene.workspaceId, id, requestId, { action: 'accept', content })
  await settled()
  await scene.taskService.keepDownload(
    scene.record(id),
    randomUUID(),
    { name: `${spelled()}.pdf`, mediaType: 'application/pdf' },
    new Uint8Array([1]),
  )
  scene.model.answer(saying(`Done: ${spelled()}`))
  await settled()
  const texts = textsOf(scene)
  assert.match(texts, '{{secret:s}}')
  const leak = leakOf(value, texts)
  return leak && `seed ${seed}: ${leak} of ${JSON.stringify(value)}`
}

test('[X6] model text, turns, events, steps, rows, answer, logs and what users write have no 8 characters of a value', async () => {
  for (let seed = 1; seed <= 15; seed++) assert.is(await leaks(seed), null)
})

test.run()
