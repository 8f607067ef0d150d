import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Messages } from '../../actors/cluster/messages.ts'
import type { ShardService } from '../../actors/cluster/shard-service.ts'
import { EventNotices, type LiveTabs } from '../../actors/cluster/viewer-notices.ts'
import { LiveReplies } from '../../actors/events/live-words.ts'
import { NOTICES_EVERY_MS, SUBSCRIPTION_MS, VIEWERS_LOOK_EVERY_MS } from '../../actors/limits.ts'
import { shardOf } from '../../machines/placement.ts'
import type { EventRecord } from '../../machines/task-log.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('notices for viewers at other nodes')

const SOON = 2 * NOTICES_EVERY_MS

/** Nodes over one bus; the first one owns every shard and has every browser. */
function nodesOf(count: number) {
  const clock = new HandClock(0)
  const sent: { from: string; name: string; text: string }[] = []
  const bus = { isAway: false }
  const handlers = new Map<string, ((message: never) => void)[]>()
  const replies = new LiveReplies(clock)
  const service = { isOpen: true, running: { system: { events: { live: replies } } } } as unknown as ShardService
  const watchedTabs = new Map<string, (jpeg: string) => void>()
  const tabs: LiveTabs = {
    refusal: () => null,
    watch: (taskId, _, onFrame) => {
      watchedTabs.set(taskId, onFrame)
      return () => void watchedTabs.delete(taskId)
    },
  }
  const noTabs: LiveTabs = { refusal: () => null, watch: () => () => {} }
  const nodes = Array.from({ length: count }, (_, index) => {
    const node = `n${index}`
    const messages = {
      serve: (name: string, handler: (message: never) => void) =>
        handlers.set(name, [...(handlers.get(name) ?? []), handler]),
      tell(name: string, message: object) {
        if (bus.isAway) return
        const text = JSON.stringify(message)
        sent.push({ from: node, name, text })
        for (const handler of handlers.get(name) ?? []) handler(JSON.parse(text) as never)
      },
    } as unknown as Messages
    const isOwner = index === 0
    const serviceOf = () => (isOwner ? service : undefined)
    const notices = new EventNotices({ node, clock, messages, isHere: () => isOwner, serviceOf })
    notices.serve()
    return { notices, live: notices.ofAll(isOwner ? tabs : noTabs) }
  })
  const [owner, ...others] = nodes as [(typeof nodes)[number], ...typeof nodes]
  const keep = (workspaceId: string, taskId: string) =>
    owner.notices.kept({ workspaceId, taskId } as unknown as EventRecord)
  /** Lets lookups resolve, and what is due soon happen. */
  const pass = async (ms = SOON) => {
    await new Promise(setImmediate)
    clock.turn(ms)
  }
  /** What crossed the bus since it was asked last. */
  const crossed = () => sent.splice(0)
  return { clock, bus, owner, others, replies, watchedTabs, keep, pass, crossed }
}
const of = (workspaceId: string) => async () => workspaceId
/** Two workspaces of different shards. */
const [HERE, THERE] = ['workspace-1', 'workspace-2']
assert.is.not(shardOf(HERE), shardOf(THERE))

test('[M18] without viewers nothing crosses the bus, whatever happens', async () => {
  const { keep, pass, crossed } = nodesOf(3)
  for (let n = 0; n < 100; n++) keep(`workspace-${n}`, `task-${n}`)
  await pass(10 * VIEWERS_LOOK_EVERY_MS)
  assert.equal(crossed(), [])
})

test('[M18] at rest each node with viewers sends one message every 5 s, however many they are', async () => {
  for (const viewers of [1, 300]) {
    const { others, pass, crossed } = nodesOf(3)
    for (let n = 0; n < viewers; n++) others[0]?.notices.watch(`task-${n}`, of(`workspace-${n}`), () => {})
    await pass()
    crossed()
    await pass(10 * VIEWERS_LOOK_EVERY_MS)
    assert.equal(
      crossed().map(({ from, name }) => `${from} ${name}`),
      Array.from({ length: 10 }, () => 'n1 subscriptions'),
    )
  }
})

test('[M6 M18] events are told to the nodes that have viewers of their shard, and only their viewers look', async () => {
  const { others, keep, pass, crossed } = nodesOf(3)
  const looks = { task: 0, workspace: 0, other: 0 }
  others[0]?.notices.watch('task', of(HERE), () => looks.task++)
  others[0]?.notices.watch('other', of(HERE), () => looks.other++)
  others[1]?.notices.watch(HERE, of(HERE), () => looks.workspace++)
  await pass()
  crossed()
  Object.assign(looks, { task: 0, workspace: 0, other: 0 })
  keep(HERE, 'task')
  keep(HERE, 'task')
  keep(THERE, 'elsewhere')
  await pass()
  assert.equal(looks, { task: 1, workspace: 1, other: 0 })
  assert.equal(
    crossed().map(({ name }) => name),
    ['n1.notices', 'n2.notices'],
  )
})

test('[M6] an event that is kept before the subscription arrives is read as soon as it has', async () => {
  const { others, keep, pass } = nodesOf(2)
  let looks = 0
  others[0]?.notices.watch('task', of(HERE), () => looks++)
  keep(HERE, 'task')
  await pass()
  assert.is(looks, 1)
})

test('[M6] viewers look every 5 s, so a lost notice is made up for, and at once when the bus is back', async () => {
  const { others, bus, keep, pass } = nodesOf(2)
  let looks = 0
  others[0]?.notices.watch('task', of(HERE), () => looks++)
  await pass()
  bus.isAway = true
  looks = 0
  keep(HERE, 'task')
  await pass()
  assert.is(looks, 0)
  await pass(VIEWERS_LOOK_EVERY_MS)
  assert.is(looks, 1)
  await pass(2 * SUBSCRIPTION_MS)
  bus.isAway = false
  looks = 0
  others[0]?.notices.renew()
  assert.ok(looks > 0)
  await pass()
  looks = 0
  keep(HERE, 'task')
  await pass()
  assert.is(looks, 1)
})

test('[M18] the subscription of a node that is gone expires', async () => {
  const { others, keep, pass, crossed } = nodesOf(2)
  const told = () => {
    keep(HERE, 'task')
    return pass().then(() => crossed().filter(({ name }) => name === 'n1.notices').length)
  }
  others[0]?.notices.watch('task', of(HERE), () => {})
  await pass()
  crossed()
  assert.is(await told(), 1)
  others[0]?.notices.stop()
  await pass(SUBSCRIPTION_MS + VIEWERS_LOOK_EVERY_MS)
  assert.is(await told(), 0)
})

test('[M6] a viewer that has left is told nothing, and its node says so', async () => {
  const { others, keep, pass, crossed } = nodesOf(2)
  let looks = 0
  const leave = others[0]?.notices.watch('task', of(HERE), () => looks++)
  await pass()
  leave?.()
  await pass()
  assert.equal(JSON.parse(crossed().at(-1)?.text ?? ''), { node: 'n1', topics: [] })
  looks = 0
  keep(HERE, 'task')
  await pass(10 * VIEWERS_LOOK_EVERY_MS)
  assert.equal([looks, crossed().length, others[0]?.notices.viewers('task')], [0, 0, 0])
})

test('[M6] words of a reply reach a listener at another node while it listens', async () => {
  const { others, replies, pass, crossed } = nodesOf(3)
  const words: string[] = []
  const leave = others[0]?.notices.hear('task', of(HERE), ({ text }) => words.push(text))
  await pass()
  crossed()
  replies.reply('task', 1)('Hello')
  replies.reply('other', 1)('nobody listens')
  assert.equal(words, ['Hello'])
  assert.equal(
    crossed().map(({ name }) => name),
    ['n1.notices'],
  )
  leave?.()
  await pass()
  crossed()
  replies.reply('task', 2)('and again')
  assert.equal([words.length, crossed().length], [1, 0])
})

test('[M12] the picture of a tab reaches viewers at other nodes; a later one sees a page that does not change', async () => {
  const { others, watchedTabs, pass } = nodesOf(3)
  const seen: string[] = []
  const watch = (node: number) =>
    others[node]?.live.watch('task', 'session', (jpeg) => seen.push(`${node} ${jpeg}`)) as () => void
  const leaves = [watch(0)]
  await pass()
  watchedTabs.get('task')?.('first')
  assert.equal(seen.splice(0), ['0 first'])
  leaves.push(watch(0))
  assert.equal(seen.splice(0), ['0 first'])
  const before = watchedTabs.get('task')
  leaves.push(watch(1))
  await pass()
  assert.is.not(watchedTabs.get('task'), before)
  watchedTabs.get('task')?.('first')
  assert.equal(seen.splice(0), ['0 first', '0 first', '1 first'])
  for (const leave of leaves) leave()
  await pass()
  assert.is(watchedTabs.size, 0)
})

test.run()
