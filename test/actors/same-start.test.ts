import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClusterNode } from '../../actors/cluster/node.ts'
import { createNodeTaskService } from '../../actors/cluster/node-task-service.ts'
import { type Calls, callsOf, OwnerAway } from '../../actors/cluster/owner-calls.ts'
import type { OwnedShard } from '../../actors/cluster/ports.ts'
import type { Router } from '../../actors/cluster/router.ts'
import { ShardService } from '../../actors/cluster/shard-service.ts'
import { MOVED_BROWSER_MS_MAX } from '../../actors/limits.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, type Scene, settled } from '../support/scene.ts'

const test = suite('one start that comes to the owner through two nodes')

/** The owner of a workspace, and what clients reach at two nodes. */
async function twoDesks() {
  const scene = await aScene()
  const service = {
    running: scene.opened,
    sockets: new Map(),
    bound: async () => {},
    owned: { epoch: 1 },
  } as unknown as ShardService
  const calls = callsOf(service, undefined) as unknown as Record<string, (...args: unknown[]) => unknown>
  const router = {
    callOwner: async (_: string, name: keyof Calls, args: (again: boolean) => unknown[]) =>
      calls[name]?.(...JSON.parse(JSON.stringify(args(false)))),
  } as unknown as Router
  const node = {
    service: () => undefined,
    ports: { store: scene.store, clock: scene.clock, ids: { uuid: randomUUID } },
  } as unknown as ClusterNode
  const desk = (): TaskService => createNodeTaskService(node, router, {} as never, {} as never)
  const browser = scene.browser()
  await settled()
  const taskId = randomUUID()
  const request = { task: 'Buy tea', url: null, context: null, webhookUrl: null, browserSessionId: browser.record.id }
  const { workspaceId } = scene
  const start = { door: 'http', workspaceId, apiKeyId: workspaceId, requestId: null, request, taskId } as const
  return { scene, taskId, start, desks: [desk(), desk()] as const }
}

test('[M16] a start in the moment after a move waits for its browser, 5 s at most', async () => {
  for (const comes of [true, false]) {
    const scene = await aScene()
    const service = new ShardService({ shard: 1, epoch: 1 } as OwnedShard, 0, () => scene.opened)
    service.opened()
    const calls = callsOf(service, undefined)
    const browser = scene.browser()
    await settled()
    let answer = ''
    const request = { task: 'Buy tea', url: null, context: null, webhookUrl: null, browserSessionId: browser.record.id }
    const { workspaceId } = scene
    const start = { door: 'http', workspaceId, apiKeyId: workspaceId, requestId: null, request } as never
    void calls.startTask(start, false).then((given) => (answer = given.ok ? 'started' : given.refusal.code))
    await settled()
    assert.is(answer, '')
    if (comes) service.bind(browser.record.id, { node: 'a', socketId: 's' })
    else await scene.clock.advance(MOVED_BROWSER_MS_MAX)
    await settled()
    assert.is(answer, 'started')
  }
})

const timesStarted = (scene: Scene) =>
  scene.lines.lines.filter(({ message }) => message === 'A task was started').length

const idOf = (answer: Awaited<ReturnType<TaskService['startTask']>>) =>
  answer.ok ? answer.task.id : answer.refusal.code

test('[E23 M3] while the first one is decided: both are answered with the same task, which is begun once', async () => {
  const { scene, taskId, start, desks } = await twoDesks()
  const answers = await Promise.all(desks.map((desk) => desk.startTask(start)))
  await settled()
  assert.equal(answers.map(idOf), [taskId, taskId])
  assert.is(timesStarted(scene), 1)
})

test('[E23 M3] a node that was stopped with the first one goes on when another node has started it', async () => {
  const { scene, taskId, start, desks } = await twoDesks()
  assert.is(idOf(await desks[1].startTask(start)), taskId)
  await settled()
  const events = structuredClone(scene.store.events)
  assert.is(idOf(await desks[0].startTask(start)), taskId)
  await settled()
  await scene.system.snapshotWriter.barrier()
  assert.equal([timesStarted(scene), scene.store.events], [1, events])
})

test('[D13 E23 M3] what a failed start has left is not its task while it is being ended', async () => {
  const { scene, taskId, start, desks } = await twoDesks()
  // The record is kept, and its writer does not hear of it.
  scene.store.fault = (name) => (name === 'commit' ? 'loses' : name === 'tasks.end' ? 'rejects' : null)
  const first = desks[0].startTask(start)
  await scene.clock.advance(2_000)
  assert.is(idOf(await first), 'internal')
  scene.store.fault = (name) => (name === 'tasks.end' ? 'rejects' : null)
  const left = await desks[1].task(scene.workspaceId, taskId)
  assert.equal([left?.status, left?.isLeft], ['running', true])
  const again = await desks[1].startTask(start).catch((error: Error) => error)
  assert.instance(again, OwnerAway)
  scene.store.fault = () => null
  await scene.clock.advance(5_000)
  assert.is(scene.record(taskId).endedBy, 'crash')
  nothingLeft(scene)
})

test.run()
