import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { QUEUED_STARTS_MAX } from '../../machines/limits.ts'
import {
  isFull,
  NO_QUEUE,
  nextStart,
  positionOf,
  type Queue,
  recoveredQueue,
  waitingFor,
  withoutQueued,
  withQueued,
} from '../../machines/queue.ts'

const test = suite('queue')

const start = (taskId: string, key = 'a', priority = 3) => ({
  taskId,
  key,
  priority,
  sessionId: 's1',
  waitsFor: 'turn' as const,
})
const queued = (...starts: ReturnType<typeof start>[]) => starts.reduce(withQueued, NO_QUEUE)
const order = ({ starts }: Queue) => starts.map(({ taskId }) => taskId).join(' ')
/** Serves so many, and gives their names. */
function served(queue: Queue, count: number): { names: string; left: Queue } {
  const names: string[] = []
  let left = queue
  for (let i = 0; i < count; i++) {
    const next = nextStart(left)
    if (!next) break
    names.push(next.taskId)
    left = withoutQueued(left, next.taskId, 'taken')
  }
  return { names: names.join(' '), left }
}

test('[T59] a lower priority comes first, and within one the older', () => {
  assert.is(order(queued(start('t1'), start('t2', 'a', 5), start('t3', 'a', 1), start('t4'))), 't3 t1 t4 t2')
})

test('[T59] within a priority keys take turns, however many starts one of them has', () => {
  const queue = queued(...['a1', 'a2', 'a3', 'a4'].map((id) => start(id)), start('b1', 'b'), start('b2', 'b'))
  assert.is(order(queue), 'a1 b1 a2 b2 a3 a4')
})

test('[T59] a key that comes later joins the present round, and makes up for nothing', () => {
  const first = served(queued(...['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => start(id))), 3)
  const later = [start('b1', 'b'), start('b2', 'b'), start('b3', 'b')].reduce(withQueued, first.left)
  assert.is(order(later), 'a4 b1 a5 b2 b3')
})

test('[T59] one that waits for its browser is passed over, and is the next when it is there', () => {
  const queue = waitingFor(queued(start('t1'), start('t2')), 'browser', { taskId: 't1' })
  assert.is(nextStart(queue)?.taskId, 't2')
  assert.is(positionOf(queue, 't1'), 1)
  const back = waitingFor(queue, 'turn', { sessionId: 's1', waitsFor: 'browser' })
  assert.is(nextStart(back)?.taskId, 't1')
})

test('[T59] nothing of an empty priority is remembered', () => {
  const { left } = served(queued(start('t1'), start('t2', 'b'), start('t3', 'c')), 3)
  assert.equal(left, NO_QUEUE)
})

test('[T59] it has room for 1,000', () => {
  const starts = Array.from({ length: QUEUED_STARTS_MAX }, (_, i) => start(`t${i}`, `k${i % 7}`, 1 + (i % 5)))
  const queue = queued(...starts)
  assert.ok(isFull(queue, QUEUED_STARTS_MAX))
  assert.not(isFull(withoutQueued(queue, 't0', 'lost'), QUEUED_STARTS_MAX))
})

test('[T59 D7] after a restart it has the order of its row, without what is gone, and with what the row had not yet', () => {
  const { left } = served(queued(...['a1', 'a2', 'a3', 'a4'].map((id) => start(id)), start('b1', 'b')), 1)
  const found = ['a4', 'a3', 'a2', 'b2'].map((taskId) => {
    const { waitsFor, ...rest } = start(taskId, taskId[0])
    return rest
  })
  const back = recoveredQueue(left, found)
  assert.is(order(back), 'a2 b2 a3 a4')
  assert.is(nextStart(back), undefined, 'nobody is called before its task is there')
})

test('[T59] in any order of arrivals no key gets three turns while another waits', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  let queue = NO_QUEUE
  let most = 0
  /** By a key that waits: the turns that each other key has taken since its own last one. */
  const passed = new Map<string, Map<string, number>>()
  for (let i = 0; i < 5_000; i++) {
    const next = nextStart(queue)
    if (!next || random(2) === 0) {
      queue = withQueued(queue, start(`t${i}`, `k${random(4)}`))
      continue
    }
    const waiting = new Set(queue.starts.map(({ key }) => key))
    queue = withoutQueued(queue, next.taskId, 'taken')
    for (const key of ['k0', 'k1', 'k2', 'k3']) {
      if (key === next.key || !waiting.has(key)) {
        passed.delete(key)
        continue
      }
      const turns = passed.get(key) ?? new Map<string, number>()
      const count = (turns.get(next.key) ?? 0) + 1
      passed.set(key, turns.set(next.key, count))
      most = Math.max(most, count)
    }
  }
  assert.is(most, 2)
})

test.run()
