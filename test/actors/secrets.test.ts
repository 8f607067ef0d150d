import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HOLDS } from '../../machines/held.ts'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { secretsOf } from '../../src/main/own-store.ts'
import { type GivenSecret, sealedFor } from '../../src/wire/secrets.ts'
import { codeAt } from '../../src/wire/totp.ts'
import { base32 } from '../support/base32.ts'
import { anOrder } from '../support/held.ts'
import { answer, asked } from '../support/scene/inputs.ts'
import { aScene, calling, type Scene, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('secrets of a task')

const VALUE = 'Tr0ub4dor &3'
const TOTP = base32('12345678901234567890')
const DOMAINS = ['shop.example']
const GIVEN: readonly GivenSecret[] = [
  { name: 'password', kind: 'value', value: VALUE, domains: DOMAINS, description: 'of Ada' },
  { name: 'code', kind: 'totp', value: TOTP, domains: DOMAINS, description: null },
]
const fillPassword = ['form_input', { ref: 'e1', value: '{{secret:password}}' }] as const
const fillCode = ['form_input', { ref: 'e2', value: '{{secret:code}}' }] as const

const secretsPort = () => secretsOf(createSecretBox(randomBytes(32)))

async function aTask(fields: { tools?: readonly string[]; approvals?: 'always' } = {}) {
  const scene = await aScene()
  const box = createSecretBox(randomBytes(32))
  scene.secrets = secretsOf(box)
  await scene.reopen()
  const browser = scene.browser(2, {}, false)
  browser.tools = fields.tools ?? ['secrets']
  browser.connect()
  const taskId = randomUUID()
  const id = await scene.task(browser, {
    taskId,
    secrets: sealedFor(taskId, GIVEN, box),
    approvals: fields.approvals ?? null,
  })
  return { scene, browser, id }
}

const frames = (browser: SceneBrowser) => browser.of('mcp_execute_tool')
const lastRead = (scene: Scene) => JSON.stringify(scene.model.waiting.at(-1)?.request.messages.at(-1))
/** Everything that is kept or was told, as text. */
const everything = ({ store, lines, webhooks, model }: Scene) =>
  JSON.stringify([
    [...store.tasks.values()],
    [...store.logs.values()],
    [...store.rows.values()],
    store.events,
    store.commits,
    lines,
    webhooks,
    model.last,
  ])

test('[X1] values are sealed in the commit of their task, and gone with its end; what else they are stays', async () => {
  const { scene, id } = await aTask()
  const insert = scene.store.commits.flat().find((write) => write.kind === 'task.insert' && write.record.id === id)
  assert.ok(insert?.kind === 'task.insert' && insert.record.sealedSecrets)
  assert.not.match(everything(scene), /Tr0ub4dor|GEZDGNBV/)
  await scene.taskService.cancelTask(scene.workspaceId, id)
  const { sealedSecrets, secrets } = scene.record(id)
  assert.is(sealedSecrets, undefined)
  assert.equal(
    secrets,
    GIVEN.map(({ value: _, ...known }) => known),
  )
})

test('[L41 X3 X6] a script fills secrets in by their placeholders; one that has worked a value out shows it to nobody', async () => {
  const { scene, browser, id } = await aTask()
  scene.model.answer(
    calling(
      scene.scripts.call(function* () {
        yield fillPassword
        try {
          yield ['find', { query: VALUE }]
        } catch (error) {
          return `${VALUE}: ${(error as Error).message}`
        }
        return 'looked for'
      }),
    ),
  )
  await settled(80)
  await scene.reaches(id, 'thinking')
  assert.is(frames(browser).length, 1)
  assert.equal(frames(browser)[0]?.secrets, [{ name: 'password', value: VALUE, domains: DOMAINS }])
  assert.match(lastRead(scene), /{{secret:password}}: Not run: a secret can only be written/)
  assert.not.match(everything(scene), 'Tr0ub4dor')
})

test('[X3 X6 I5] what is held shows no value, and letting go of it has a fresh one beside it', async () => {
  const { scene, browser, id } = await aTask({ tools: ['secrets', HOLDS], approvals: 'always' })
  const held = anOrder(VALUE, {
    id: 'hold 1',
    path: `/${encodeURIComponent(VALUE)}`,
    shape: `POST https://shop.example/${VALUE}`,
  })
  browser.result = ({ tool }) => (tool === 'release' ? {} : { held })
  scene.model.answer(calling(fillPassword))
  const { id: inputId, message, call } = await asked(scene, id)
  assert.match(message, 'total {{secret:password}}')
  assert.is(call?.held?.path, '/{{secret:password}}')
  assert.not.match(everything(scene), /Tr0ub4dor/)
  await answer(scene, id, inputId, 'accept')
  await settled()
  const release = frames(browser).at(-1)
  assert.equal(release?.input, { held: held.id, action: 'accept', terms: held.terms })
  assert.equal(release?.secrets, [{ name: 'password', value: VALUE, domains: DOMAINS }])
})

test('[X3] frames have the values beside the input; journal, row, steps and model have the placeholder', async () => {
  const { scene, browser } = await aTask()
  assert.match(
    JSON.stringify(scene.model.waiting[0]?.request.messages),
    /\{\{secret:password\}\} for shop\.example: of Ada/,
  )
  scene.model.answer(calling([...fillPassword], ['find', { query: 'tea' }]))
  await settled()
  const [first, second] = frames(browser)
  assert.equal(first?.input, { ref: 'e1', value: '{{secret:password}}' })
  assert.equal(first?.secrets, [{ name: 'password', value: VALUE, domains: DOMAINS }])
  assert.not('secrets' in (second ?? { secrets: 1 }))
  assert.match(everything(scene), '{{secret:password}}')
  assert.not.match(everything(scene), /Tr0ub4dor/)
})

test('[X3] a browser that has not announced that it fills in secrets is not sent any, and the model reads why', async () => {
  const { scene, browser } = await aTask({ tools: [] })
  scene.model.answer(calling([...fillPassword]))
  await settled()
  assert.equal(frames(browser), [])
  assert.match(lastRead(scene), /This browser cannot fill in secrets/)
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  assert.is(frames(browser).length, 1)
})

test('[X3] an unknown secret, and one where none is filled in, are errors and are not sent', async () => {
  const { scene, browser } = await aTask()
  for (const [call, says] of [
    [['form_input', { ref: 'e1', value: '{{secret:pin}}' }], /has no secret .{1,3}pin/],
    [['navigate', { url: 'https://shop.example/{{secret:password}}' }], /can only be written/],
    [['javascript_tool', { action: 'javascript_exec', text: '"{{secret:password}}"' }], /can only be written/],
  ] as const) {
    scene.model.answer(calling(call))
    await settled()
    assert.match(lastRead(scene), says)
  }
  assert.equal(frames(browser), [])
})

test('[X5] a code with less than 5 s left is waited out; with 5 s it is sent', async () => {
  const { scene, browser } = await aTask()
  const toNext = 30_000 - (scene.clock.now() % 30_000)
  await scene.clock.advance(toNext + 25_000)
  scene.model.answer(calling([...fillCode]))
  await settled()
  const codeSent = (at: number) => (frames(browser)[at]?.secrets as { value: string }[] | undefined)?.[0]?.value
  assert.is(codeSent(0), codeAt(TOTP, scene.clock.now()).code)
  await scene.clock.advance(1)
  scene.model.answer(calling([...fillCode]))
  await settled()
  assert.is(frames(browser).length, 1)
  await scene.clock.advance(5_000)
  await settled()
  assert.is(codeSent(1), codeAt(TOTP, scene.clock.now()).code)
  assert.is.not(codeSent(1), codeSent(0))
})

test('[X6] what browser and model say is kept and shown without the values, codes that were used included', async () => {
  const { scene, browser, id } = await aTask()
  let code = ''
  browser.result = (frame) => {
    const [secret] = (frame.secrets ?? []) as { name: string; value: string }[]
    if (secret?.name === 'code') code = secret.value
    return {
      output: `password ${VALUE} code ${code}`,
      said: `Typed ${VALUE}.`,
      page: { content: `${encodeURIComponent(VALUE)} ${btoa(VALUE)} ${TOTP} code ${code}.` },
    }
  }
  scene.model.answer(calling([...fillPassword], [...fillCode]))
  await settled()
  await scene.clock.advance(40_000)
  browser.result = () => ({ error: `It is not ${VALUE} nor ${code}`, page: { content: VALUE } })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  assert.match(lastRead(scene), /It is not \{\{secret:password\}\} nor \{\{secret:code\}\}/)
  scene.model.answer({ ...calling(['find', { query: VALUE }]), ...{ text: `I typed ${VALUE}` } })
  await settled()
  scene.model.answer(saying(`Your password is ${VALUE}, the code was ${code}`))
  await settled()
  assert.match(code, /^\d{6}$/)
  assert.match(scene.record(id).answer ?? '', 'Your password is {{secret:password}}, the code was {{secret:code}}')
  const all = everything(scene)
  for (const form of [VALUE, encodeURIComponent(VALUE), btoa(VALUE), TOTP]) assert.not.ok(all.includes(form), form)
  assert.not.match(all, new RegExp(`code ${code}|was ${code}|nor ${code}`))
})

test('[X6] a code that was waited for, and one from before a restart, are taken out, too', async () => {
  const { scene, browser } = await aTask()
  await scene.clock.advance(30_000 - (scene.clock.now() % 30_000) + 27_000)
  scene.model.answer(calling([...fillCode]))
  await settled()
  await scene.clock.advance(3_000)
  const code = codeAt(TOTP, scene.clock.now()).code
  assert.match(JSON.stringify(frames(browser)[0]?.secrets), `"value":"${code}"`)
  browser.result = () => ({ output: `It was ${code}.` })
  for (const restarts of [false, true]) {
    if (restarts) {
      await scene.reopen()
      browser.connect()
      await settled(60)
    }
    scene.model.answer(calling(['find', { query: restarts ? 'tea' : 'coffee' }]))
    await settled(60)
    assert.match(lastRead(scene), 'It was {{secret:code}}.', String(restarts))
  }
  assert.not.match(everything(scene), `It was ${code}`)
})

test('[X6] the name that a page gives a download is kept without them', async () => {
  const { scene, id } = await aTask()
  const about = { name: `${VALUE}.pdf`, mediaType: 'application/pdf' }
  const kept = await scene.taskService.keepDownload(scene.record(id), randomUUID(), about, new Uint8Array([1]))
  assert.is(typeof kept === 'string' ? kept : kept.name, '{{secret:password}}.pdf')
  assert.not.match(everything(scene), 'Tr0ub4dor')
})

test('[X8] a call with a secret comes back after a crash under its request id, and is typed once', async () => {
  for (const when of ['before it arrived', 'while it ran', 'after it was done'] as const) {
    const { scene, browser, id } = await aTask()
    const { receive } = browser
    if (when === 'before it arrived') browser.receive = () => {}
    browser.answers = false
    scene.model.answer(calling([...fillCode]))
    await settled()
    scene.crash()
    browser.receive = receive
    if (when === 'after it was done') browser.finish(undefined, { said: 'Typed.' })
    await scene.open()
    browser.connect()
    await settled(60)
    if (when !== 'after it was done') browser.finish()
    await settled(60)
    assert.is(browser.executed.length, 1, when)
    assert.ok(frames(browser).length > 0)
    for (const { secrets, requestId } of frames(browser)) {
      assert.is((secrets as unknown[]).length, 1, when)
      assert.is(requestId, browser.executed[0])
    }
    await scene.reaches(id, 'thinking')
    assert.is(scene.store.journal(id).filter(({ kind }) => kind === 'result').length, 1)
  }
})

test('[X2] with another SECRETS_KEY, or none, a restarted task is asked for nothing more and says so; others go on', async () => {
  for (const key of [secretsPort(), null]) {
    const { scene, browser, id } = await aTask()
    const other = scene.browser()
    const otherId = await scene.task(other)
    scene.secrets = key
    await scene.reopen()
    browser.connect()
    other.connect()
    await settled(60)
    for (const waiting of [...scene.model.waiting]) waiting.answer(calling(['find', { query: 'tea' }]))
    await settled(60)
    assert.equal([frames(browser).length, frames(other).length], [0, 1])
    assert.match(JSON.stringify(scene.store.journal(id)), /The secrets of this task cannot be read any more/)
    assert.match(JSON.stringify(scene.lines), /The secrets of a task cannot be read: SECRETS_KEY/)
    await scene.reaches(otherId, 'thinking')
    await scene.taskService.cancelTask(scene.workspaceId, id)
    assert.is(scene.record(id).sealedSecrets, undefined)
  }
})

test.run()
