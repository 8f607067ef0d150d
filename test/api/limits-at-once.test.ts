import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store } from '../../actors/runtime/ports.ts'
import { LiveViews } from '../../src/relay/live.ts'
import { groundStore } from '../support/http-ground.ts'
import { type Answer, aKey, makeSurface, requestOf } from '../support/http-surface.ts'
import { aTask, THEN } from '../support/stores.ts'

const AT_ONCE = 40

/** A clock that goes on by itself, a millisecond for each question: no two requests are of one moment. */
function runningClock() {
  let at = THEN
  return {
    now: () => at++,
    setTimeout: (fn: () => void, ms: number) => setTimeout(fn, ms),
    clearTimeout: (id: unknown) => clearTimeout(id as NodeJS.Timeout),
    /** A minute later. */
    skip: () => {
      at += 60_000
    },
  }
}

/** The store, whose reads of claims and sessions answer in another order than they were asked. */
function shuffled(store: Store): Store {
  const later =
    <Args extends unknown[], Answer>(read: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const answer = await read(...args)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
      return answer
    }
  return {
    ...store,
    claims: { ...store.claims, get: later(store.claims.get) },
    sessions: { ...store.sessions, list: later(store.sessions.list) },
    limits: { ...store.limits, get: later(store.limits.get) },
  }
}

// Each limit of the API that is counted in a sliding window, when all that it refuses comes together.
const clock = runningClock()
const store = shuffled(await groundStore())
const surface = await makeSurface({ clock, store })
const test = suite('limits when all comes at once')
test.before.each(() => clock.skip())

const LIMITS: readonly {
  readonly what: string
  readonly max: number
  readonly code: string
  readonly path: string
  readonly body: (n: number) => unknown
  readonly idempotent?: true
}[] = [
  {
    what: '[E26] new Idempotency-Keys',
    max: 300,
    code: 'too_many_idempotency_keys',
    path: `/v1/tasks/${randomUUID()}/cancel`,
    body: () => ({}),
    idempotent: true,
  },
  {
    what: '[U8] uploads',
    max: 60,
    code: 'too_many_files',
    path: '/v1/files?name=a.txt',
    body: (n) => new TextEncoder().encode(`file ${n}`),
  },
  {
    what: '[S17] pairing links of a key',
    max: 60,
    code: 'too_many_pairings',
    path: '/v1/browser-sessions/pair',
    body: () => ({}),
  },
]
for (const { what, max, code, path, body, idempotent } of LIMITS) {
  test(`${what}: of ${max + 40} that come together ${max} are let in, and as many a minute later`, async () => {
    const { key } = await aKey(surface)
    for (const round of ['one', 'two']) {
      const answers: Answer[] = []
      let sent = 0
      // More at a time than a store has connections would only wait for these.
      const oneAfterTheOther = async () => {
        while (sent < max + 40) {
          const n = sent++
          const headers = { 'idempotency-key': `${round}-${n}` }
          answers.push(await surface.ask('POST', path, { key, body: body(n), ...(idempotent ? { headers } : {}) }))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther))
      const refused = answers.filter(({ status, json }) => status === 429 && json.code === code)
      assert.is(
        refused.length,
        40,
        `round ${round}: ${JSON.stringify(answers.find(({ status }) => status >= 400)?.json)}`,
      )
      clock.skip()
      clock.skip()
    }
  })
}

test('[R52] of viewers of a live view that come together eight are let in', async () => {
  const live = new LiveViews({ clock, send: () => true, canShow: () => true })
  const { handle, taskService } = await makeSurface({ clock, live, store })
  const { key, workspaceId } = await aKey(surface)
  const task = aTask({ workspaceId })
  taskService.tasksById.set(task.id, { ...task, state: 'thinking', seq: 1 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => handle(requestOf('GET', `/v1/tasks/${task.id}/live`, { key }))),
  )
  let watching = 0
  const leaving: (() => void)[] = []
  for (const { stream } of answers) {
    watching++
    const nothing = () => {}
    const end = () => void watching--
    stream?.({ write: () => true, onDrain: nothing, onClose: (left) => leaving.push(left), end, destroy: nothing })
  }
  assert.is(watching, 8)
  for (const leave of leaving) leave()
  assert.is(live.refusal(task.id, task.browserSessionId), null)
})

test.run()
