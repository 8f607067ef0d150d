import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EventRecord, LogEvent } from '../../machines/task-log.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'

const test = suite('event log')

/** What a task's log says, a line for each event. */
function linesOf(events: readonly { readonly event: LogEvent }[]): string[] {
  return events.map(({ event }) => {
    const { type, seq } = event
    if (type === 'task.state') return `${seq} ${type} ${event.state}`
    if (type === 'tool.called' || type === 'tool.result') return `${seq} ${type} ${event.step} ${event.tool}`
    if (type === 'step.started' || type === 'model.replied') return `${seq} ${type} ${event.step}`
    return `${seq} ${type}`
  })
}

type Scene = Awaited<ReturnType<typeof aScene>>
const logOf = (scene: Scene, id: string) => scene.store.events.filter(({ taskId }) => taskId === id)

test('[V1 V2] a task is told from its start to its end, numbered without a gap', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', { query: 'tea' }], ['unknown', {}]))
  await scene.reaches(id, 'thinking')
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.equal(linesOf(logOf(scene, id)), [
    '1 task.created',
    '2 task.state thinking',
    '3 step.started 1',
    '4 model.replied 1',
    '5 tool.called 1 find',
    '6 task.state acting',
    '7 tool.result 1 find',
    '8 tool.called 1 unknown',
    '9 tool.result 1 unknown',
    '10 task.state thinking',
    '11 step.started 2',
    '12 model.replied 2',
    '13 task.ended',
  ])
  const ended = logOf(scene, id).at(-1)?.event
  assert.ok(ended?.type === 'task.ended' && ended.success && ended.answer === 'Bought.')
})

test('[V10] the words of a reply are told while it comes, at most four times a second, and are not kept', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const heard: string[] = []
  const stop = scene.taskService.events.hear(id, ({ step, text }) => heard.push(`${step} ${text}`))
  const [asked] = scene.model.waiting
  for (const text of ['', 'I', 'I op', 'I open']) asked?.says(text)
  await scene.clock.advance(250)
  asked?.says('I open it.')
  assert.equal(heard, ['1 I', '1 I open it.'])
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  stop()
  scene.model.waiting[0]?.says('nobody listens')
  assert.is(heard.length, 2)
  assert.not.match(JSON.stringify(logOf(scene, id)), 'model.words')
})

test('[V9] what has ended has the number of its ending, also before its service knows that it is kept', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.store.fault = (name) => (name === 'tasks.end' ? 'loses' : null)
  scene.model.answer(saying('Bought.'))
  await settled()
  const { events } = scene.taskService
  assert.is(scene.store.tasks.get(id)?.status, 'complete')
  assert.is(events.isRunning(id), true)
  assert.is(await events.lastOfTask(id), logOf(scene, id).at(-1)?.seq)
  scene.store.fault = () => null
})

test('[V1] what a transition tells is in the commit of its row, and the ending in the final write', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  const [first] = scene.store.commits.filter((writes) => writes.some(({ kind }) => kind === 'task.insert'))
  assert.ok(first?.some((write) => write.kind === 'log.append' && write.record.entries[0]?.kind === 'task.created'))
  scene.onFrame = ({ type }) => {
    if (type !== 'mcp_execute_tool') return
    // The call is told with its intent, before its frame leaves.
    const intent = scene.store.commits.find((writes) => JSON.stringify(writes).includes('"persistingIntent"'))
    const types = intent?.flatMap((write) =>
      write.kind === 'log.append' ? write.record.entries.map(({ kind }) => kind) : [],
    )
    assert.equal(types, ['model.replied', 'tool.called', 'task.state'])
  }
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  scene.model.answer(saying('Bought.'))
  await settled()
  const appended = scene.store.commits
    .flat()
    .flatMap((write) => (write.kind === 'log.append' ? write.record.entries : []))
  assert.not.ok(appended.some(({ kind }) => kind === 'task.ended'))
  assert.is(logOf(scene, id).at(-1)?.event.type, 'task.ended')
})

test('[V1] a browser that goes while a start is being kept is told after the start, not before', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  let keep = () => {}
  const { commit } = scene.system.ports.store
  const held = new Promise<void>((resolve) => {
    keep = resolve
  })
  scene.system.ports.store.commit = async (writes) => {
    if (writes.some(({ kind }) => kind === 'task.insert')) await held
    return commit(writes)
  }
  const starting = scene.start(browser)
  await settled()
  browser.disconnect()
  await settled()
  assert.equal(scene.store.events, [])
  keep()
  await starting
  await settled()
  assert.equal(linesOf(scene.store.events).slice(0, 2), ['1 task.created', '2 browser.away'])
})

test('[V1] nobody is told what is not kept, and the numbers go on after a restart', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  await settled()
  const heard: EventRecord[] = []
  scene.system.events.listen((record) => void heard.push(record))
  scene.store.fault = (name) => (name === 'commit' ? 'rejects' : null)
  scene.model.answer(calling(['find', {}]))
  await settled()
  assert.equal(heard, [])
  scene.store.fault = () => null
  await scene.reopen()
  await settled()
  scene.model.answer(calling(['find', {}]))
  await settled()
  const log = logOf(scene, id)
  assert.equal(
    log.map(({ seq }) => seq),
    log.map((_, index) => index + 1),
  )
  assert.is(new Set(log.map(({ position }) => position)).size, log.length)
})

test('[V1] after a restart a log goes on where the row of its task says, and is not read', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  await settled()
  // Changes nothing of the task but its log.
  browser.disconnect()
  await settled()
  const before = logOf(scene, id)
  assert.is(before.at(-1)?.event.type, 'browser.away')
  await scene.reopen()
  assert.not.ok(scene.store.log.includes('events.newest'))
  browser.connect()
  await settled()
  assert.equal(linesOf(logOf(scene, id).slice(before.length)), [`${before.length + 1} browser.connected`])
})

test('[V2] a browser that goes away and comes back during a task is told once each', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  browser.disconnect()
  await settled()
  browser.connect()
  await settled()
  const types = logOf(scene, id).map(({ event }) => event.type)
  assert.equal(
    types.filter((type) => type.startsWith('browser.')),
    ['browser.away', 'browser.connected'],
  )
})

test('[V1] a task that has ended says no more', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(saying('Bought.'))
  await settled()
  const before = logOf(scene, id).length
  scene.system.events.append(id, { type: 'message.received', at: 0, text: 'late' })
  await settled()
  assert.is(logOf(scene, id).length, before)
})

test('[V1] one who listens and throws keeps neither the event nor the others from anybody', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const heard: string[] = []
  scene.system.events.listen(() => {
    throw new Error('a bug')
  })
  scene.system.events.watch(id, ({ type }) => void heard.push(type))
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.equal(heard, ['model.replied', 'task.ended'])
  assert.is(scene.record(id).status, 'complete')
})

test('[V4] the position of what is not kept yet holds back those behind it', async () => {
  const scene = await aScene()
  const { events } = scene.system
  const [one, two] = [await scene.task(scene.browser()), await scene.task(scene.browser())]
  const read = async () => (await scene.taskService.events.ofWorkspace(scene.workspaceId, 0, 100)).length
  const before = await read()
  const first = events.prepare(one, { type: 'message.received', at: 0, text: 'first' })
  const record = first?.write()
  let told = 0
  events.follow(scene.workspaceId, () => told++)
  events.append(two, { type: 'message.received', at: 0, text: 'second' })
  await settled()
  assert.is(await read(), before)
  if (record) await scene.system.ports.store.commit([record])
  told = 0
  first?.settled(true)
  assert.is(told, 1)
  const texts = (await scene.taskService.events.ofWorkspace(scene.workspaceId, 0, 100)).slice(before)
  assert.equal(
    texts.map(({ event }) => event.type === 'message.received' && event.text),
    ['first', 'second'],
  )
})

test('[V1] what the store refuses for good leaves no gap', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const refused = scene.system.events.prepare(id, { type: 'message.received', at: 0, text: 'refused' })
  refused?.write()
  refused?.settled(false)
  scene.system.events.append(id, { type: 'message.received', at: 0, text: 'kept' })
  await settled()
  const log = logOf(scene, id)
  assert.equal(
    log.map(({ seq }) => seq),
    log.map((_, index) => index + 1),
  )
  const last = log.at(-1)?.event
  assert.ok(last?.type === 'message.received' && last.text === 'kept')
})

test.run()
