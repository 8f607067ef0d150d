import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sessionAddress, workspaceAddress } from '../../machines/addresses.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { INTO, nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('faults')

/** Another task beside the one that is hurt, which must not notice. */
async function withNeighbour(): Promise<{ scene: Scene; id: string; neighbour: string; check: () => Promise<void> }> {
  const scene = await aScene()
  const neighbour = await scene.task(scene.browser())
  const [waiting] = scene.model.waiting.splice(0)
  const id = await scene.task(scene.browser())
  const check = async () => {
    assert.is(scene.record(neighbour).status, 'running')
    scene.broken.clear()
    scene.store.fault = () => null
    waiting?.answer(saying('Unhurt.'))
    await scene.clock.advance(1_000)
    assert.is(scene.record(neighbour).answer, 'Unhurt.')
    nothingLeft(scene)
  }
  return { scene, id, neighbour, check }
}
const crashed = (scene: Scene, id: string, message: string) => {
  const { status, endedBy, failure, answer } = scene.record(id)
  assert.equal([status, endedBy, failure, answer], ['error', 'crash', 'internal', `Agent loop crashed: ${message}`])
}

test('[D14 T27] a model that throws ends its task, and no other', async () => {
  const { scene, id, check } = await withNeighbour()
  scene.model.throws('a bug')
  await settled()
  crashed(scene, id, 'a bug')
  await check()
})

test('[D14 T27] tools that throw end their task, and no other', async () => {
  const { scene, id, check } = await withNeighbour()
  scene.broken.add('tools.check')
  scene.model.answer(calling(['find', {}]))
  await settled()
  crashed(scene, id, 'tools.check is broken')
  await check()
})

test('[D14] a frame that breaks at sending fails its call, or ends its task; no other', async () => {
  const { scene, id, check } = await withNeighbour()
  scene.onFrame = ({ type }) => {
    if (type === 'mcp_execute_tool') throw new Error('a bug')
  }
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), 'Error: a bug')
  scene.onFrame = ({ type }) => {
    if (type === 'task_update') throw new Error('another bug')
  }
  scene.model.answer(calling(['find', {}]))
  await settled()
  crashed(scene, id, 'another bug')
  await check()
})

test('[D14] a start that breaks as its task begins is refused, and what it left is ended; the others notice nothing', async () => {
  const { scene, id, check } = await withNeighbour()
  scene.model.answer(saying('First.'))
  await settled()
  assert.is(scene.record(id).answer, 'First.')
  scene.onFrame = ({ type }) => {
    if (type === 'task_started') throw new Error('a bug')
  }
  const answer = await scene.start(scene.browsers[1] ?? '')
  await settled()
  assert.is(!answer.ok && answer.refusal.code, 'internal')
  assert.ok(scene.lines.lines.some(({ message }) => message === 'A start failed'))
  const [begun = ''] = [...scene.store.tasks.keys()].slice(-1)
  crashed(scene, begun, 'a bug')
  scene.onFrame = () => {}
  await check()
})

/** Breaks the actor at an address as a bug in one of its actions would. */
async function breakActor(scene: Scene, address: Parameters<Scene['system']['registry']['post']>[0]): Promise<void> {
  const poison = {
    type: 'child.done',
    address: {
      indexOf: () => {
        throw new Error('a bug')
      },
    },
    output: null,
    at: 0,
  }
  scene.system.registry.post(address, poison)
  await settled()
}

test('[D14] a workspace that breaks goes on with a window, its places and its tasks', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const ids = [await scene.task(browser), await scene.task(browser), await scene.task(browser)]
  await breakActor(scene, workspaceAddress(scene.workspaceId))
  await breakActor(scene, workspaceAddress(scene.workspaceId))
  const starts = [await scene.start(browser), await scene.start(browser), await scene.start(browser)]
  assert.equal(
    starts.map(({ ok }) => ok),
    [true, true, false],
  )
  await settled()
  for (const _ of [...ids, 4, 5]) scene.model.answer(saying('Done.'))
  await settled()
  for (const id of ids) assert.is(scene.record(id).answer, 'Done.')
  nothingLeft(scene)
})

test('[D14] what was on its way to a workspace as it broke is not lost: ended tasks end, starts are decided', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  const starting: Promise<unknown>[] = []
  scene.system.registry.deliver(() => {
    void breakActor(scene, workspaceAddress(scene.workspaceId))
    scene.system.registry.post(`task:${id}`, { type: 'task.cancel', at: scene.clock.now() })
    starting.push(scene.start(browser))
  })
  await scene.clock.advance(1_000)
  assert.is(scene.record(id).status, 'error')
  await Promise.all(starting)
  for (const asked of scene.model.waiting.splice(0)) asked.answer(saying('Done.'))
  await settled()
  nothingLeft(scene)
})

test('[D14 T22] a workspace that breaks between the record of a start and its task: the task begins', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await settled()
  scene.store.fault = (name) => {
    if (name !== 'commit') return null
    scene.store.fault = () => null
    void breakActor(scene, workspaceAddress(scene.workspaceId))
    return null
  }
  const id = await scene.task(browser)
  assert.is(await scene.stateOf(id), 'thinking')
  assert.ok(scene.lines.lines.some(({ message }) => message === 'An actor failed'))
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).answer, 'Done.')
  nothingLeft(scene)
})

test('[D14] a session that breaks: its browser is told to come again, its task reads that the outcome is unknown', async () => {
  const scene = await aScene()
  const id = await INTO.acting(scene)
  await scene.reaches(id, 'acting')
  const [browser] = scene.browsers
  if (!browser) throw new Error('no browser')
  await breakActor(scene, sessionAddress(browser.record.id))
  assert.equal(
    browser.closed.map(({ code }) => code),
    [1011],
  )
  await scene.reaches(id, 'thinking')
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), TO_MODEL.unknown)
  browser.connect()
  browser.answers = true
  scene.model.answer(calling(['find', { query: 'again' }]))
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 2)
  scene.model.answer(saying('Done.'))
  await scene.clock.advance(60_000)
  nothingLeft(scene)
})

test('[D14 T37] a session that breaks while a task waits for its browser: the task is woken all the same', async () => {
  const scene = await aScene()
  const id = await INTO.waitingForBrowser(scene)
  await scene.reaches(id, 'waitingForBrowser')
  const [browser] = scene.browsers
  if (!browser) throw new Error('no browser')
  await breakActor(scene, sessionAddress(browser.record.id))
  await scene.reaches(id, 'waitingForBrowser')
  browser.connect()
  await scene.reaches(id, 'thinking')
})

test('[D14] a task that breaks itself is closed with what can be saved', async () => {
  const { scene, id, check } = await withNeighbour()
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  scene.system.conversations.forget(id)
  scene.system.registry.post(`task:${id}`, { type: 'model.requestedTools', calls: null, text: '', at: 0 })
  await settled()
  assert.equal([scene.record(id).endedBy, scene.record(id).steps], ['crash', 1])
  await check()
})

test('[L5 L3 D14] a model that never answers is given up after two minutes, thrice, and its place is free', async () => {
  const scene = await aScene()
  scene.model.heedsAbort = false
  const id = await scene.task(scene.browser())
  await scene.clock.advance(3 * 120_000 - 1)
  assert.is(await scene.stateOf(id), 'thinking')
  await scene.clock.advance(1)
  assert.is(scene.record(id).answer, 'LLM call failed: the model did not answer within 120 s')
  assert.is(scene.model.asked, 3)
  nothingLeft(scene)
})

test('[T33] a model that answers late, when its task has ended, changes nothing', async () => {
  const scene = await aScene()
  scene.model.heedsAbort = false
  const id = await scene.task(scene.browser())
  const [asked] = scene.model.waiting
  await scene.taskService.cancelTask(scene.workspaceId, id)
  asked?.answer(calling(['find', {}]))
  await settled()
  assert.equal([scene.store.journal(id), scene.record(id).steps], [[], 0])
  nothingLeft(scene)
})

test('[R17] a browser that answers twice is heard once', async () => {
  const scene = await aScene()
  const id = await INTO.acting(scene)
  await scene.reaches(id, 'acting')
  const [browser] = scene.browsers
  browser?.finish()
  browser?.finish()
  await scene.reaches(id, 'thinking')
  assert.is(scene.store.journal(id).length, 2)
  assert.is(scene.opened.vitals.getSnapshot().context.resultsDropped, 1)
})

test.run()
