import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StartAnswer } from '../../actors/task-service.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, failing, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('starts')

const billed = (freePerMonth: number, credits: number) =>
  aScene((scene) => {
    scene.billing = { freePerMonth }
    scene.store.credits = credits
  })
const codes = (answers: readonly StartAnswer[]) =>
  answers.reduce<Record<string, number>>((counts, answer) => {
    const code = answer.ok ? 'granted' : answer.refusal.code
    counts[code] = (counts[code] ?? 0) + 1
    return counts
  }, {})
const many = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))
/** Lets the waits of starts for charges on their way pass. */
async function passing<T>(scene: Scene, work: Promise<T>): Promise<T> {
  let done = false
  void work.finally(() => {
    done = true
  })
  for (let i = 0; i < 300 && !done; i++) await scene.clock.advance(20)
  return work
}

for (const remote of [false, true]) {
  const store = remote ? 'a remote store' : 'the embedded store'
  const open = (prepare: (scene: Scene) => void = () => {}) =>
    aScene((scene) => {
      scene.store.remote = remote
      prepare(scene)
    })

  test(`[T19 T9] ${store}: of fifty starts at once exactly five are granted`, async () => {
    const scene = await open()
    const browser = scene.browser()
    const answers = await many(50, () => scene.start(browser))
    assert.equal(codes(answers), { granted: 5, too_many_running: 5, rate_limited: 40 })
    assert.equal([scene.store.tasks.size, scene.count('task')], [5, 5])
  })

  test(`[T8] ${store}: of eleven in a minute exactly ten pass, one more when the first has left the window`, async () => {
    const scene = await open()
    const browser = scene.browser()
    const answers: StartAnswer[] = []
    for (let i = 0; i < 11; i++) {
      answers.push(await scene.start(browser))
      await settled()
      if (scene.model.waiting.length > 0) scene.model.answer(saying('Done.'))
      await scene.clock.advance(1_000)
    }
    assert.equal(codes(answers), { granted: 10, rate_limited: 1 })
    const last = answers.at(-1)
    assert.is(last && !last.ok && last.refusal.retryAfterSeconds, 50)
    await scene.clock.advance(49_000 - 1)
    assert.is((await scene.start(browser)).ok, false)
    await scene.clock.advance(1)
    assert.is((await scene.start(browser)).ok, true)
  })

  test(`[T10 T12 T13 E14] ${store}: a refusal that is there at once is the answer`, async () => {
    const scene = await open()
    const away = scene.browser(2, {}, false)
    const expired = scene.browser(2, { expiresAt: scene.clock.now() + 1_000 })
    await scene.clock.advance(999)
    const session = { own: scene.browser(2, { workspaceId: 'other' }) }
    const answers = [
      await scene.start('no such id'),
      await scene.start(session.own),
      await scene.start(away),
      await scene.start(expired),
    ]
    assert.equal(
      answers.map((answer) => (answer.ok ? 'granted' : answer.refusal.code)),
      ['session_not_found', 'session_forbidden', 'session_not_connected', 'granted'],
    )
    await scene.clock.advance(1)
    const late = await scene.start(expired)
    assert.is(!late.ok && late.refusal.code, 'session_not_connected')
  })
}

test('[T8 T19] a workspace’s limits are its own', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const other = scene.browser(2, { workspaceId: 'other' })
  const answers = await Promise.all([
    ...Array.from({ length: 7 }, () => scene.start(browser)),
    ...Array.from({ length: 3 }, () => scene.start(other, { workspaceId: 'other' })),
  ])
  assert.equal(codes(answers), { granted: 8, too_many_running: 2 })
})

test('[T18 B4] five at once on two free places and one credit: three run, and the rest hear that places are held', async () => {
  const scene = await billed(2, 1)
  const browser = scene.browser()
  const answers = await many(5, () => scene.start(browser))
  assert.equal(codes(answers), { granted: 3, places_held: 2 })
  const refusal = answers.find((answer) => !answer.ok)
  assert.equal(refusal && !refusal.ok && refusal.refusal.allowance, { freeRemaining: 2, creditBalance: 1 })
})

test('[B3 B4 B12] five tasks that complete at once take exactly five places, and the sixth start is refused', async () => {
  const scene = await billed(2, 3)
  const browser = scene.browser()
  await many(5, () => scene.start(browser))
  await settled()
  // They still run as it is decided.
  const sixth = scene.start(browser)
  for (let i = 0; i < 5; i++) scene.model.answer(saying('Done.'))
  const held = await passing(scene, sixth)
  assert.is(!held.ok && held.refusal.code, 'places_held')
  await settled()
  assert.equal([scene.store.freeUsed, scene.store.credits, scene.store.charges.size], [2, 0, 5])
  const answer = await passing(scene, scene.start(browser))
  assert.is(!answer.ok && answer.refusal.code, 'no_allowance')
  assert.equal(!answer.ok && answer.refusal.allowance, { freeRemaining: 0, creditBalance: 0 })
  nothingLeft(scene)
})

test('[B3] a task that does not complete takes nothing, and its place is there again', async () => {
  const scene = await billed(0, 1)
  const browser = scene.browser()
  for (let i = 0; i < 3; i++) {
    const id = await scene.task(browser)
    scene.model.answer(failing('no', { retryable: false }))
    await settled()
    assert.is(scene.record(id).status, 'error')
  }
  assert.equal([scene.store.credits, scene.store.charges.size], [1, 0])
  assert.is(scene.store.usage.size, 3)
})

test('[B3 B4] starts while tasks are being charged never take more places than there are', async () => {
  const scene = await billed(0, 6)
  scene.store.remote = true
  const browser = scene.browser()
  let granted = 0
  for (let round = 0; round < 4; round++) {
    const starts = many(4, () => scene.start(browser))
    for (const _ of scene.model.waiting.splice(0)) _.answer(saying('Done.'))
    const answers = await passing(scene, starts)
    granted += codes(answers).granted ?? 0
    await settled()
    await scene.clock.advance(60_000)
  }
  for (const asked of scene.model.waiting.splice(0)) asked.answer(saying('Done.'))
  await settled()
  assert.equal([granted, scene.store.credits, scene.store.charges.size], [6, 0, 6])
})

test('[T34] a slot is free when the task has ended', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await many(5, () => scene.start(browser))
  await settled()
  assert.is((await scene.start(browser)).ok, false)
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is((await scene.start(browser)).ok, true)
})

test('[T24 R29] inside: neither billing nor rate, and no bill; the relay’s own makes no expiry check', async () => {
  const scene = await billed(0, 0)
  const browser = scene.browser()
  for (let i = 0; i < 12; i++) {
    assert.ok((await scene.start(browser, { door: 'internal' })).ok)
    await settled()
    scene.model.answer(saying('Done.'))
    await settled()
  }
  assert.is(scene.store.charges.size, 0)
  const refused = await scene.start(browser, { door: 'relay', requestId: 'q' })
  assert.is(!refused.ok && refused.refusal.code, 'no_allowance')
})

test('[T17] a start that is refused for its browser never makes another one fail', async () => {
  const scene = await billed(0, 1)
  const browser = scene.browser()
  const away = scene.browser(2, {}, false)
  const answers = await Promise.all([...Array.from({ length: 5 }, () => scene.start(away)), scene.start(browser)])
  assert.equal(codes(answers), { session_not_connected: 5, granted: 1 })
})

test('a start from within the work of an actor is decided like any other', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const answers: Promise<StartAnswer>[] = []
  scene.onFrame = ({ type }) => {
    if (type === 'task_started' && answers.length === 0) answers.push(scene.start(browser), scene.start('nobody'))
  }
  await scene.task(browser)
  const [granted, refused] = await Promise.all(answers)
  assert.equal([granted?.ok, refused && !refused.ok && refused.refusal.code], [true, 'session_not_found'])
})

test('[T22 D13] a start that was granted is answered though the store answers no reads', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  scene.store.fault = (name) => (name === 'tasks.get' ? 'rejects' : null)
  const answer = await scene.start(browser)
  assert.ok(answer.ok)
  assert.equal(answer.ok && answer.task, scene.record(answer.ok ? answer.task.id : ''))
})

test('[T22] a start is answered before its model is asked', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await settled()
  assert.ok((await scene.start(browser)).ok)
  for (let turns = 0; turns < 100; turns++) await Promise.resolve()
  assert.is(scene.model.waiting.length, 0)
  await settled()
  assert.is(scene.model.waiting.length, 1)
})
test('[T13] a browser is connected, and its pairing has expired a moment ago', async () => {
  const scene = await aScene()
  const answer = await scene.start(scene.browser(2, { expiresAt: scene.clock.now() }))
  assert.is(!answer.ok && answer.refusal.code, 'session_expired')
})
test('[T22 O9] what was read for a start just before counts for it; what is older is read again', async () => {
  const scene = await billed(20, 0)
  const browser = scene.browser()
  await settled()
  const { workspaceId, taskService } = scene
  const readsOf = async (wait: number) => {
    const reads = taskService.readForStart?.(workspaceId)
    assert.ok(reads)
    await scene.clock.advance(wait)
    scene.store.log.length = 0
    assert.ok((await scene.start(browser, { reads })).ok)
    return scene.store.log.filter((call) => /^(ledger|limits|sessions)\./.test(call)).sort()
  }
  assert.equal(await readsOf(500), [])
  assert.equal(await readsOf(501), ['ledger.get', 'limits.get'])
})
test('[T7] a task that was charged after the allowance was read for a start makes it read again', async () => {
  const scene = await billed(1, 0)
  const browser = scene.browser()
  await scene.task(browser)
  const reads = scene.taskService.readForStart?.(scene.workspaceId)
  assert.ok(reads)
  await settled()
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.store.freeUsed, 1)
  const answer = await passing(scene, scene.start(browser, { reads }))
  assert.is(!answer.ok && answer.refusal.code, 'no_allowance')
})

test.run()
