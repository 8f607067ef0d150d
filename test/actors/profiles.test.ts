import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workspaceAddress } from '../../machines/addresses.ts'
import { TAKES_LIVE_INPUT } from '../../machines/input-request.ts'
import { HAS_PROFILES, type ProfileUse } from '../../machines/profiles.ts'
import type { WorkspaceContext } from '../../machines/workspace-types.ts'
import { toolbox } from '../../src/models/toolbox.ts'
import { answerAll, awaiting } from '../support/scene/queue.ts'
import { aScene, calling, type Scene, type StartFields, settled } from '../support/scene.ts'

const test = suite('profiles')

/** A scene with a pool of one browser with many places, and a profile. */
async function withProfile() {
  const scene = await aScene()
  const browser = scene.browser(2, { pool: { pool: 'p', places: 9 } })
  browser.tools = [HAS_PROFILES, TAKES_LIVE_INPUT]
  browser.connect()
  const id = randomUUID()
  scene.store.profiles.set(id, {
    ...{ id, workspaceId: scene.workspaceId, name: 'acme', createdAt: 0, savedAt: null },
  })
  return { scene, browser, id }
}
const use = (profile: ProfileUse): StartFields => ({ browser: { pool: 'p', profile } })
const code = async (answer: ReturnType<Scene['start']>) => {
  const { ok, ...rest } = await answer
  return ok ? 'granted' : (rest as { refusal: { code: string } }).refusal.code
}
async function task(scene: Scene, fields: StartFields): Promise<string> {
  const answer = await scene.start('', fields)
  if (!answer.ok) throw new Error(answer.refusal.code)
  await settled()
  return answer.task.id
}
function writers(scene: Scene) {
  const context: WorkspaceContext | undefined = scene.system.registry.snapshot(
    workspaceAddress(scene.workspaceId),
  )?.context
  return context?.pools.writers ?? {}
}

test('[Z11] one task at a time saves a profile; others wait or only read it', async () => {
  const { scene, id } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  assert.is(await code(scene.start('', use({ id, save: true }))), 'profile_busy')
  assert.is(await code(scene.start('', use({ id: randomUUID(), save: true }))), 'granted', 'another profile')
  const reader = await task(scene, use({ id, save: false }))
  assert.is(await scene.stateOf(reader), 'thinking')
  const waiting = await task(scene, { ...use({ id, save: true }), waiting: awaiting() })
  assert.is(await scene.stateOf(waiting), 'queued')
  await answerAll(scene)
  assert.is(await scene.stateOf(first), 'closed')
  assert.is(await scene.stateOf(waiting), 'queued', 'the profile is being saved')
  assert.ok(
    await scene.taskService.saveProfile(scene.workspaceId, first, scene.record(first).browserSessionId, 'sealed'),
  )
  await settled()
  assert.is(await scene.stateOf(waiting), 'thinking')
  assert.equal(writers(scene)[id], waiting)
  assert.equal(
    [scene.store.profiles.get(id)?.sealed, scene.store.profiles.get(id)?.savedAt],
    ['sealed', scene.clock.now()],
  )
})

test('[Z12] a browser that does not save in time holds nobody up, and what comes later is not saved', async () => {
  const { scene, id, browser } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  await answerAll(scene)
  const next = await task(scene, { ...use({ id, save: true }), waiting: awaiting() })
  assert.is(await scene.stateOf(next), 'queued')
  await scene.clock.advance(10_000)
  assert.is(await scene.stateOf(next), 'thinking')
  assert.not(await scene.taskService.saveProfile(scene.workspaceId, first, browser.record.id, 'late'))
  assert.is(scene.store.profiles.get(id)?.sealed, undefined)
})

test('[Z12] a start right after the end of a task waits until its profile is saved', async () => {
  const { scene, id, browser } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  await answerAll(scene)
  const start = scene.start('', use({ id, save: false }))
  await scene.clock.advance(100)
  assert.ok(await scene.taskService.saveProfile(scene.workspaceId, first, browser.record.id, 'sealed'))
  await scene.clock.advance(100)
  assert.is(await code(start), 'granted')
})

test('[Z12] only the browser of an ended task that saves its profile may save it, and once', async () => {
  const { scene, id, browser } = await withProfile()
  const save = (taskId: string, sessionId = browser.record.id, workspaceId: string = scene.workspaceId) =>
    scene.taskService.saveProfile(workspaceId, taskId, sessionId, 'sealed')
  const [writer, reader] = [await task(scene, use({ id, save: true })), await task(scene, use({ id, save: false }))]
  assert.not(await save(writer), 'it runs still')
  await answerAll(scene)
  assert.not(await save(reader), 'it only reads')
  assert.not(await save(writer, randomUUID()), 'another browser')
  assert.not(await save(writer, browser.record.id, 'other'), 'another workspace')
  assert.ok(await save(writer))
  assert.not(await save(writer), 'once')
})

test('[Z11 D7] after a crash of the service a running task still has its profile alone', async () => {
  const { scene, id, browser } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  await scene.reopen()
  browser.connect()
  await settled()
  assert.equal(writers(scene), { [id]: first })
  assert.is(await code(scene.start('', use({ id, save: true }))), 'profile_busy')
})

test('[Z11] frames of a task with a profile say so, without a value; a browser without profiles gets none', async () => {
  const { scene, id, browser } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(first, 'thinking')
  assert.is(browser.of('mcp_execute_tool')[0]?.profile, true)
  browser.tools = []
  browser.connect()
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(first, 'thinking')
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), 'cannot use profiles')
  assert.is(browser.executed.length, 1)
})

/** A sign-in that waits for its person. */
async function signingIn() {
  const own = await withProfile()
  const { scene, id } = own
  const taskId = await task(scene, {
    ...use({ id, save: true, signIn: true }),
    url: 'https://acme.example/login',
    asksUser: true,
  })
  await scene.reaches(taskId, 'waitingForInput')
  const request = (await scene.view(taskId)).inputRequest
  const answer = (action: 'accept' | 'decline') =>
    scene.taskService.answerInput(scene.workspaceId, taskId, request?.id ?? '', { action, content: null })
  return { ...own, taskId, request, answer }
}

test('[Z13] a sign-in opens its page and asks the person, without a model; when they are done it is saved', async () => {
  const { scene, browser, id, taskId, request, answer } = await signingIn()
  assert.is(request?.kind, 'takeover')
  assert.equal(
    browser.of('mcp_execute_tool').map(({ tool, input }) => [tool, input]),
    [['navigate', { url: 'https://acme.example/login' }]],
  )
  assert.is(await answer('accept'), 'accepted')
  await settled()
  const { status, answer: said, usage } = scene.record(taskId)
  assert.equal([status, said, usage.apiCalls], ['complete', 'Signed in. The profile is being saved.', 0])
  assert.is(scene.model.last, null, 'no model was asked')
  assert.ok(await scene.taskService.saveProfile(scene.workspaceId, taskId, browser.record.id, 'sealed'))
  assert.is(scene.store.profiles.get(id)?.sealed, 'sealed')
})

test('[Z13] a sign-in that the person declined, or cancelled, is not saved', async () => {
  for (const end of ['decline', 'cancel'] as const) {
    const { scene, browser, id, taskId, answer } = await signingIn()
    if (end === 'decline') await answer('decline')
    else await scene.taskService.cancelTask(scene.workspaceId, taskId)
    await settled()
    assert.is(scene.record(taskId).status, 'error')
    assert.not(await scene.taskService.saveProfile(scene.workspaceId, taskId, browser.record.id, 'sealed'))
    await settled()
    assert.equal([scene.store.profiles.get(id)?.sealed, writers(scene)], [undefined, {}])
  }
})

test('[Z13 D7] a sign-in outlives a crash of the service', async () => {
  const { scene, browser, taskId, answer } = await signingIn()
  await scene.reopen()
  browser.connect()
  await scene.reaches(taskId, 'waitingForInput')
  await answer('accept')
  await settled()
  assert.is(scene.record(taskId).status, 'complete')
})

test('[Z13] a page that cannot be opened ends the sign-in', async () => {
  const { scene, browser, id } = await withProfile()
  browser.result = () => ({ error: 'There is no such address.' })
  const taskId = await task(scene, {
    ...use({ id, save: true, signIn: true }),
    url: 'https://acme.example/',
    asksUser: true,
  })
  await settled()
  assert.equal(
    [scene.record(taskId).status, scene.record(taskId).answer],
    ['error', 'The page could not be opened. The profile is as it was.'],
  )
})

test('[Z14] a task with a profile whose model finds itself signed out ends so; no other task does', async () => {
  const { scene, id } = await withProfile()
  const finish = { success: false, answer: 'The site asks for a password.', signed_out: true }
  const endOf = async (fields: StartFields) => {
    const taskId = await task(scene, fields)
    scene.model.answer(calling(['finish', finish]))
    await settled()
    const { status, endedBy, failure } = scene.record(taskId)
    return [status, endedBy, failure]
  }
  assert.equal(await endOf(use({ id, save: false })), ['error', 'signed_out', null])
  scene.tools = toolbox
  await scene.reopen()
  for (const browser of scene.browsers) browser.connect()
  await settled()
  assert.equal(await endOf({ browser: { pool: 'p' } }), ['error', 'gave_up', null])
})

test('[Z14] only the model of a task that is signed in by its profile is offered to say so', () => {
  const shown = (hasSignIn: boolean) =>
    JSON.stringify(toolbox.specs([], null, { asksUser: false, approves: false, hasSignIn }).at(-1))
  assert.match(shown(true), 'signed_out')
  assert.not.match(shown(false), 'signed_out')
})

test('[R59] clicks and keys go to the browser of a task that waits for its user, and to no other', async () => {
  const { scene, browser, taskId } = await signingIn()
  const events = [{ type: 'text', text: 'one-time code' }]
  const send = (id: string, workspaceId: string = scene.workspaceId) =>
    scene.taskService.liveInput(workspaceId as typeof scene.workspaceId, id, events)
  assert.is(await send(taskId), 'sent')
  assert.equal(
    browser.of('live_input').map(({ taskId: of, events: sent }) => [of, sent]),
    [[taskId, events]],
  )
  const log = JSON.stringify([...scene.store.entries(taskId), ...scene.lines.lines])
  assert.not.match(log, 'one-time code')
  assert.is(await send(taskId, 'other'), 'not_found')
  const working = await task(scene, { browser: { pool: 'p' } })
  assert.is(await send(working), 'not_waiting')
  await scene.taskService.pauseTask(scene.workspaceId, working, true)
  await answerAll(scene)
  assert.is(await send(working), (await scene.stateOf(working)) === 'paused' ? 'sent' : 'not_running')
  browser.tools = []
  browser.connect()
  assert.is(await send(taskId), 'not_possible')
})

test('[Z12 Z13] a sign-in whose service restarts before the browser has saved it is saved then, once', async () => {
  const { scene, browser, id, taskId, answer } = await signingIn()
  await answer('accept')
  await settled()
  assert.is(scene.record(taskId).status, 'complete')
  await scene.clock.advance(1)
  await scene.reopen()
  browser.connect()
  await settled()
  const save = (sealed: string) => scene.taskService.saveProfile(scene.workspaceId, taskId, browser.record.id, sealed)
  await scene.clock.advance(30_000)
  assert.ok(await save('sealed'))
  assert.not(await save('again'))
  assert.is(scene.store.profiles.get(id)?.sealed, 'sealed')
})

test('[Z12] after a restart nothing is saved over what another task saves, or has saved since', async () => {
  for (const next of ['runs', 'has saved', 'is a reader'] as const) {
    const { scene, browser, id } = await withProfile()
    const first = await task(scene, use({ id, save: true }))
    await answerAll(scene)
    await scene.clock.advance(1)
    await scene.reopen()
    browser.connect()
    await settled()
    const second = await task(scene, use({ id, save: next !== 'is a reader' }))
    if (next === 'has saved') {
      await answerAll(scene)
      await scene.clock.advance(1)
      assert.ok(await scene.taskService.saveProfile(scene.workspaceId, second, browser.record.id, 'newer'))
    }
    const late = await scene.taskService.saveProfile(scene.workspaceId, first, browser.record.id, 'late')
    assert.is(late, next === 'is a reader', next)
    if (next === 'has saved') assert.is(scene.store.profiles.get(id)?.sealed, 'newer')
  }
})

test('[Z12 D13] a store that fails while a profile is saved does not end that: it is saved at the next try', async () => {
  const { scene, id, browser } = await withProfile()
  const first = await task(scene, use({ id, save: true }))
  await answerAll(scene)
  const save = () => scene.taskService.saveProfile(scene.workspaceId, first, browser.record.id, 'sealed')
  scene.store.fault = (name) => (name === 'profiles.save' ? 'rejects' : null)
  assert.is(await save().catch(() => 'failed'), 'failed')
  scene.store.fault = () => null
  assert.equal(writers(scene)[id], first, 'others wait still')
  assert.ok(await save())
  assert.is(scene.store.profiles.get(id)?.sealed, 'sealed')
})

test.run()
