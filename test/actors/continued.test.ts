import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EARLIER_CHARS_MAX, readEarlier, TASKS_BEFORE_MAX } from '../../actors/conversation/continued-tasks.ts'
import type { Message } from '../../actors/runtime/ports.ts'
import type { JournalEntry } from '../../machines/records.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { secretsOf } from '../../src/main/own-store.ts'
import { sealedFingerprints, sealedFor } from '../../src/wire/secrets.ts'
import { aLogOf } from '../support/logs.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'
import { anEntry, aTask } from '../support/stores.ts'

const test = suite('tasks that continue another')

const asked = (scene: Scene): readonly Message[] => scene.model.last?.messages ?? []
const textOf = (messages: readonly Message[]) => JSON.stringify(messages)
/** Every call is answered just behind the message that asked for it: providers refuse anything else. */
function answeredInOrder(messages: readonly Message[]): void {
  messages.forEach((message, at) => {
    if (message.role !== 'assistant' || message.calls.length === 0) return
    const next = messages[at + 1]
    const ids = next?.role === 'tool' ? next.results.map(({ id }) => id) : []
    assert.equal(
      ids,
      message.calls.map(({ id }) => id),
    )
  })
}

/** The model gives this reply, once more if it is asked to check its answer, and the task has ended. */
async function endsBy(scene: Scene, id: string, reply: ReturnType<typeof saying>): Promise<void> {
  scene.model.answer(reply)
  await settled()
  if (scene.model.waiting.length > 0) scene.model.answer(reply)
  await settled()
  assert.is.not(scene.record(id).status, 'running')
}

/** A task that has looked once, and has ended by `finish`. */
async function endedTask(scene: Scene): Promise<string> {
  const browser = scene.browser()
  browser.result = () => ({ output: 'Green tea, 4.80' })
  const id = await scene.task(browser, { task: 'Find green tea' })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  await endsBy(scene, id, calling(['finish', { success: true, answer: 'It costs 4.80.' }]))
  return id
}

test('[I10] its model reads what was asked, done and answered, but not the pages, then the new task', async () => {
  const scene = await aScene()
  const before = await endedTask(scene)
  const id = await scene.task(scene.browser(), { task: 'Now black tea', continuesTaskId: before })
  await settled()
  const messages = asked(scene)
  assert.match(textOf(messages.slice(0, 1)), 'Find green tea')
  assert.match(textOf(messages), 'find')
  assert.not.match(textOf(messages), 'Green tea, 4.80')
  assert.is(messages.length, 2)
  assert.match(textOf(messages), 'It costs 4.80.')
  const last = messages.at(-1)
  assert.is(last?.role, 'user')
  assert.ok(last?.role === 'user' && last.text.startsWith(TO_MODEL.continues) && last.text.includes('Now black tea'))
  answeredInOrder(messages)
  await endsBy(scene, id, saying('Black tea.'))
  assert.is(scene.record(id).steps, 1)
  nothingLeft(scene)
})

test('[X13] without the secrets of the task before, what that typed is read, kept and streamed as placeholders', async () => {
  const scene = await aScene()
  const box = createSecretBox(randomBytes(32))
  scene.secrets = secretsOf(box)
  await scene.reopen()
  const value = 'Tr0ub4dor &3'
  const given = [{ name: 'password', kind: 'value' as const, value, domains: ['shop.example'], description: null }]
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()] as const
  const ofFirst = sealedFingerprints(first, given, null, box) ?? ''
  const secrets = sealedFor(first, given, box)
  const before = await scene.task(scene.browser(2, {}, true), { taskId: first, secrets, fingerprints: ofFirst })
  await endsBy(scene, before, saying('Signed in.'))
  assert.is(scene.record(first).sealedSecrets, undefined)
  for (const [id, earlier] of [
    [second, first],
    [third, second],
  ] as const) {
    const fingerprints = sealedFingerprints(id, [], scene.record(earlier), box) ?? ''
    const browser = scene.browser()
    browser.result = () => ({ output: `textbox "Password" value "${value}" ${encodeURIComponent(value)}` })
    await scene.task(browser, { taskId: id, continuesTaskId: earlier, fingerprints })
    const streamed: string[] = []
    scene.taskService.events.hear(id, ({ text }) => streamed.push(text))
    scene.model.answer(calling(['read_page', {}]))
    await settled()
    scene.model.waiting.at(-1)?.says(`It was ${value}`)
    assert.equal(streamed, [])
    const read = textOf(scene.model.waiting.at(-1)?.request.messages.slice(-1) ?? [])
    assert.match(read, 'value \\"{{secret:password}}\\" {{secret:password}}')
    await endsBy(scene, id, saying(`It was ${value}.`))
    assert.is(scene.record(id).answer, 'It was {{secret:password}}.')
  }
  const { store, lines, webhooks, model } = scene
  const everything = [
    [...store.tasks.values()],
    [...store.logs.values()],
    [...store.rows.values()],
    store.events,
    lines,
  ]
  assert.not.match(JSON.stringify([...everything, webhooks, model.last]), /Tr0ub4dor/)
})

test('[I10] of a long task with secrets and files it reads little, and nothing of these', async () => {
  const journal = Array.from({ length: 300 }, (_, n): JournalEntry[] => [
    {
      kind: 'reply',
      calls: [
        {
          requestId: `${n}`,
          tool: 'form_input',
          input: { value: '{{secret:password}}', file: 'tax.pdf' },
          refusal: null,
        },
      ],
    } as never,
    { ...anEntry('x'.repeat(2_000)), requestId: `${n}`, url: 'https://shop.example/last' },
  ]).flat()
  const files = [{ id: 'f', name: 'tax.pdf', mediaType: 'application/pdf', size: 1 }]
  const secrets = [{ name: 'password', kind: 'value' as const, domains: ['shop.example'], description: null }]
  const before = aTask({ id: '0', task: 'Send tax.pdf'.repeat(900), answer: 'Sent.'.repeat(900), files, secrets })
  let tasks = [before]
  for (let n = 1; n < 9; n++) tasks = [...tasks, { ...before, id: `${n}`, continuesTaskId: `${n - 1}` }]
  const { messages, url } = await readEarlier(
    { ...before, id: 'new', continuesTaskId: '8' },
    {
      tasks: { get: async (id: string) => tasks.find((task) => task.id === id) ?? null } as never,
      log: async () => aLogOf(before.id, journal).flatMap(({ entries }) => entries),
    },
  )
  const text = textOf(messages)
  const chars = messages.reduce((sum, message) => sum + ('text' in message ? message.text.length : 0), 0)
  assert.ok(chars > 2_000 && chars <= EARLIER_CHARS_MAX, `${chars}`)
  assert.is(url, 'https://shop.example/last')
  assert.not.match(text, /secret:|tax\.pdf|xxx/)
  assert.match(text, TO_MODEL.earlier.ownGone)
})

test('[I10 D7] after a crash it is the same, also when the earlier task was cancelled in mid-call', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const before = await scene.task(browser, { task: 'Find green tea' })
  scene.model.answer(calling(['find', { query: 'tea' }], ['find', { query: 'cups' }]))
  await settled()
  await scene.taskService.cancelTask(scene.workspaceId, before)
  await scene.task(browser, { task: 'Now black tea', continuesTaskId: before })
  await settled()
  const first = textOf(asked(scene))
  answeredInOrder(asked(scene))
  await scene.reopen()
  await settled()
  assert.is(textOf(asked(scene)), first)
})

/** Runs one call of the task, and gives the first frame of it. */
async function firstFrame(scene: Scene, request: Parameters<Scene['task']>[1], tools: string[] = []) {
  const browser = scene.browser(2, {}, false)
  browser.tools = tools
  const id = await scene.task(browser.connect(), request)
  await settled()
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  const [frame] = browser.of('mcp_execute_tool')
  assert.ok(frame)
  return { id, browser, frame }
}

test('[I10] its tab begins at the page where the earlier task ended, until its first result, also after a restart', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = () => ({ output: 'Green tea', page: { url: 'https://shop.example/tea?id=7' } })
  const before = await scene.task(browser, { task: 'Find green tea' })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  await endsBy(scene, before, calling(['finish', { success: true, answer: 'Found.' }]))
  const startsAt = 'https://shop.example/tea?id=7'
  const going = await firstFrame(scene, { continuesTaskId: before })
  assert.is(going.frame.startsAt, startsAt)
  assert.match(textOf(asked(scene)), TO_MODEL.continuesAtPage)
  scene.model.answer(calling(['find', { query: 'cups' }]))
  await settled()
  assert.not('startsAt' in (going.browser.of('mcp_execute_tool')[1] ?? {}))
  await endsBy(scene, going.id, calling(['finish', { success: true, answer: 'Found.' }]))
  // One that saw no page of its own ended where the one before it did.
  const third = await firstFrame(scene, { continuesTaskId: going.id })
  assert.is(third.frame.startsAt, startsAt)
  await scene.taskService.cancelTask(scene.workspaceId, third.id)
  for (const [request, tools] of [
    [{ url: 'https://shop.example/' }, []],
    [{ allowedDomains: ['other.example'] }, ['allowed_domains']],
  ] as const) {
    const { id, frame } = await firstFrame(scene, { continuesTaskId: before, ...request }, [...tools])
    assert.not('startsAt' in frame, JSON.stringify(request))
    assert.match(textOf(asked(scene)), TO_MODEL.continues)
    await scene.taskService.cancelTask(scene.workspaceId, id)
  }
  const within = await firstFrame(scene, { continuesTaskId: before, allowedDomains: ['shop.example'] }, [
    'allowed_domains',
  ])
  assert.is(within.frame.startsAt, startsAt)
})

test('[I10] of a task that was deleted meanwhile nothing is read, and the task goes on', async () => {
  const scene = await aScene()
  const before = await endedTask(scene)
  const id = await scene.task(scene.browser(), { task: 'Now black tea', continuesTaskId: before })
  await settled()
  await scene.taskService.removeTask(scene.workspaceId, before)
  await scene.reopen()
  await settled()
  assert.is(asked(scene).length, 1)
  assert.not.match(textOf(asked(scene)), 'green tea')
  await endsBy(scene, id, saying('Black tea.'))
})

test(`[I10] a chain of tasks reads the last ${TASKS_BEFORE_MAX} before it`, async () => {
  const scene = await aScene()
  let before: string | null = null
  for (let n = 0; n < TASKS_BEFORE_MAX + 2; n++) {
    const id: string = await scene.task(scene.browser(), { task: `Part ${n}.`, continuesTaskId: before })
    await settled()
    const said = asked(scene).filter((message) => message.role === 'user')
    assert.is(said.length, Math.min(n, TASKS_BEFORE_MAX) + 1)
    await endsBy(scene, id, saying('Done.'))
    await scene.clock.advance(60_000)
    before = id
  }
})

test.run()
