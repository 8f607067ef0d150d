import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DRAIN_MS_MAX } from '../../machines/limits.ts'
import { aReceiver, deliveries, ended } from '../support/scene/receiver.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'
import { ACCEPTED } from '../support/webhook-memory.ts'

const test = suite('announcing of an ending')

const URL = 'https://hook.test/'

test('[T32 W1 W9] the answer of the final write is lost once: the ending that is found is its own, and announced', async () => {
  const scene = await aScene((scene) => {
    scene.billing = { freePerMonth: 1 }
  })
  const browser = scene.browser()
  const id = await scene.task(browser, { webhookUrl: URL })
  let lost = false
  scene.store.fault = (name) => {
    if (name !== 'tasks.end' || lost) return null
    lost = true
    return 'loses'
  }
  scene.model.answer(saying('Bought.'))
  await scene.clock.advance(1_000)
  assert.ok(lost)
  assert.is(scene.record(id).answer, 'Bought.')
  assert.equal([scene.store.charges.size, scene.store.freeUsed], [1, 1])
  assert.equal([scene.webhooks.length, browser.of('task_complete').length], [1, 1])
  nothingLeft(scene)
})

test('[R32 D7] a process that dies before its row says that an ending is told has not told the browser: it hears once', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, { webhookUrl: URL })
  scene.onWebhook = () => new Promise(() => {})
  scene.store.fault = (name, [writes]) =>
    name === 'commit' && JSON.stringify(writes).includes('"announcing"') ? 'hangs' : null
  scene.model.answer(saying('Bought.'))
  await scene.clock.advance(1_000)
  assert.is(scene.record(id).answer, 'Bought.')
  scene.store.fault = () => null
  scene.onWebhook = async () => {}
  await scene.reopen()
  browser.connect()
  await scene.clock.advance(1_000)
  assert.is(browser.of('task_complete').length, 1)
  nothingLeft(scene)
})

test('[W9 D10] a stop waits for the webhooks of the tasks that it ends', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser(), { webhookUrl: URL })
  let answer = () => {}
  scene.onWebhook = () =>
    new Promise((resolve) => {
      answer = resolve
    })
  let stopped = false
  const stopping = scene.opened.stop().then(() => {
    stopped = true
  })
  await settled()
  assert.equal([scene.record(id).endedBy, scene.webhooks.length, stopped], ['shutdown', 1, false])
  answer()
  await stopping
  assert.equal(
    [...scene.store.rows.keys()].filter((address) => address.startsWith('closing')),
    [],
  )
})

test('[W9 D10] a webhook that outlasts the stop is called again by the next process', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser(), { webhookUrl: URL })
  scene.onWebhook = () => new Promise(() => {})
  const stopping = scene.opened.stop()
  await scene.clock.advance(DRAIN_MS_MAX)
  await stopping
  assert.ok(scene.store.rows.has(`closing:${id}`))
  scene.onWebhook = async () => {}
  await scene.reopen()
  await settled()
  assert.is(scene.webhooks.length, 2)
  nothingLeft(scene)
})

for (const how of ['handOver', 'stop'] as const) {
  test(`[W9] ${how}: a webhook that is being called may answer for a moment, and is not called again`, async () => {
    const scene = await aScene()
    await scene.task(scene.browser(), { webhookUrl: URL })
    let answer = () => {}
    scene.onWebhook = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    scene.model.answer(saying('Bought.'))
    await settled()
    let stopped = false
    const stopping = scene.opened[how]().then(() => {
      stopped = true
    })
    await scene.clock.advance(999)
    assert.not.ok(stopped)
    answer()
    await stopping
    await scene.reopen()
    await settled()
    assert.is(scene.webhooks.length, 1)
    nothingLeft(scene)
  })

  test(`[W9 W12] ${how}: the same with an endpoint’s, and its delivery is on record`, async () => {
    const { scene } = await aReceiver()
    const answers: (() => void)[] = []
    let calls = 0
    scene.deliver = () => {
      calls++
      return new Promise((resolve) => answers.push(() => resolve({ ...ACCEPTED, durationMs: 0 })))
    }
    await ended(scene)
    const stopping = scene.opened[how]()
    await settled()
    for (const answer of answers) answer()
    await stopping
    await scene.reopen()
    await settled()
    assert.equal([calls, deliveries(scene)[0]?.status, scene.count('delivery')], [1, 'delivered', 0])
  })
}

test('[W9] a handover waits a second for webhooks, and begins none', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const [id] = [await scene.task(browser, { webhookUrl: URL }), await scene.task(browser, { webhookUrl: URL })]
  scene.onWebhook = () => new Promise(() => {})
  scene.model.answer(saying('Bought.'))
  await settled()
  let stopped = false
  const stopping = scene.opened.handOver().then(() => {
    stopped = true
  })
  // This one ends meanwhile: the next process calls it.
  scene.model.answer(saying('Bought, too.'))
  await scene.clock.advance(999)
  assert.equal([scene.webhooks.length, stopped], [1, false])
  await scene.clock.advance(1)
  await stopping
  assert.ok(scene.store.rows.has(`closing:${id}`))
  scene.onWebhook = async () => {}
  await scene.reopen()
  await settled()
  assert.is(scene.webhooks.length, 3)
  nothingLeft(scene)
})

test('[T33 T49] a reply that comes when its task has ended is not kept', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  // Both in one turn of the event loop, the cancel first.
  scene.model.answer(calling(['find', {}]))
  await scene.taskService.cancelTask(scene.workspaceId, id)
  await settled()
  const kept = scene.store.journal(id).filter(({ kind }) => kind === 'reply').length
  assert.equal([kept, scene.record(id).usage.apiCalls], [scene.record(id).steps, kept])
  nothingLeft(scene)
})

test.run()
