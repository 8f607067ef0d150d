import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { START_WINDOW_MS, STARTS_PER_WINDOW_MAX } from '../../machines/limits.ts'
import { NO_POOLS } from '../../machines/pools.ts'
import { NO_QUEUE } from '../../machines/queue.ts'
import { REFUSALS, type RefusalCode } from '../../machines/texts.ts'
import { workspaceMachine } from '../../machines/workspace.ts'
import { checks, refusalOf, withStart } from '../../machines/workspace-checks.ts'
import { DEFAULT_LIMITS } from '../../machines/workspace-limits.ts'
import type { Decision, Facts, Slot } from '../../machines/workspace-types.ts'
import { alone } from '../support/machine.ts'

const test = suite('workspace checks')

const NOW = 1_000_000
type Door = 'http' | 'relay' | 'internal'

/** A workspace and a start, and how each check is made to fail. */
interface Case {
  startTimes: number[]
  running: Record<string, Slot>
  facts: { allowance: Facts['allowance']; slotVersion: number; session: Facts['session'] }
}
const sound = (): Case => ({
  startTimes: [],
  running: {},
  facts: {
    allowance: { freeRemaining: null, creditBalance: 0 },
    slotVersion: 0,
    session: { own: true, connected: true, expiresAt: NOW + 1 },
  },
})
const held = (count: number, place: Slot = 'held') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`other${i}`, place]))
const session = (it: Case) => it.facts.session as Exclude<Facts['session'], 'missing'>

const FAILS: Readonly<Record<string, (it: Case) => void>> = {
  no_allowance: (it) => (it.facts.allowance = { freeRemaining: 0, creditBalance: 0 }),
  rate_limited: (it) => (it.startTimes = Array.from({ length: 10 }, () => NOW - 59_999)),
  // Charged ones hold a slot, and no place of the allowance.
  too_many_running: (it) => (it.running = held(5, 'charged')),
  session_not_found: (it) => (it.facts.session = 'missing'),
  session_forbidden: (it) => (it.facts.session = { ...session(it), own: false }),
  session_not_connected: (it) => (it.facts.session = { ...session(it), connected: false }),
  session_expired: (it) => (it.facts.session = { ...session(it), expiresAt: NOW }),
}

const RULES: Readonly<Record<string, string>> = {
  no_allowance: '[T7 R26]',
  rate_limited: '[T8 R27]',
  too_many_running: '[T9 R27]',
  session_not_found: '[T10 R24]',
  session_forbidden: '[T11]',
  session_not_connected: '[T12 R25]',
  session_expired: '[T13]',
}

function decide(door: Door, { startTimes, running, facts }: Case, final = false) {
  const it = alone(workspaceMachine, { workspaceId: 'w1', startTimes, running })
  it.send({ type: `admission.${door}`, taskId: 'new', facts, final, at: NOW })
  const [{ decision }] = it.did('decide') as [{ decision: Decision }]
  const refusal = decision.type === 'refused' ? decision.refusal : undefined
  return { it, refusal, code: refusal?.code ?? decision.type }
}
const failing = (...codes: string[]) => {
  const it = sound()
  // A session that is missing has no other fault.
  for (const code of [...codes].sort((a) => (a === 'session_not_found' ? 1 : -1))) FAILS[code]?.(it)
  return it
}

const ORDER: Readonly<Record<Door, readonly string[]>> = {
  http: [
    'no_allowance',
    'rate_limited',
    'too_many_running',
    'session_not_found',
    'session_forbidden',
    'session_not_connected',
    'session_expired',
  ],
  relay: ['session_not_found', 'session_not_connected', 'no_allowance', 'rate_limited', 'too_many_running'],
  internal: ['session_not_found', 'session_forbidden', 'session_not_connected', 'session_expired', 'too_many_running'],
}

for (const [door, order] of Object.entries(ORDER) as [Door, readonly string[]][]) {
  test(`[T20 R30 T24] ${door}: a start that nothing speaks against is granted, and holds a place`, () => {
    const { it, code } = decide(door, sound())
    assert.is(code, 'granted')
    assert.equal(it.context().running, { new: door === 'internal' ? 'free' : 'held' })
  })
  for (const code of order)
    test(`${RULES[code]} ${door}: ${code}, and no slot is held for a moment [T17]`, () => {
      const start = failing(code)
      const decided = decide(door, start)
      assert.is(decided.code, code)
      assert.is(decided.refusal?.message, REFUSALS[code as RefusalCode])
      assert.equal(decided.it.context().running, start.running)
    })
  order.slice(1).forEach((later, i) => {
    const earlier = order[i] ?? ''
    // A missing session is foreign to nobody.
    if (earlier === 'session_not_found') return
    test(`[T14 R28] ${door}: ${earlier} answers before ${later}`, () =>
      assert.is(decide(door, failing(earlier, later)).code, earlier))
  })
  test(`[T14 R28] ${door}: all at once, the first answers`, () =>
    assert.is(decide(door, failing(...order)).code, order[0]))
}

test('[R24] relay: a foreign session is as if it did not exist; [R29] an expired one is accepted', () => {
  assert.is(decide('relay', failing('session_forbidden')).code, 'session_not_found')
  assert.is(decide('relay', failing('session_expired')).code, 'granted')
})

test('[T24] internal: neither billing nor the rate are asked', () => {
  assert.is(decide('internal', failing('no_allowance', 'rate_limited')).code, 'granted')
})

test('[T16] what passes the rate check takes a place in the window, whatever comes after; what fails it takes none', () => {
  const stampsAfter = (door: Door, code: string) => decide(door, failing(code)).it.context().startTimes.length
  const [, , ...after] = ORDER.http
  for (const code of after) assert.is(stampsAfter('http', code), 1, code)
  assert.is(stampsAfter('http', 'no_allowance'), 0)
  assert.is(stampsAfter('http', 'rate_limited'), 10)
  assert.is(stampsAfter('relay', 'too_many_running'), 1)
  for (const code of ['session_not_found', 'session_not_connected', 'no_allowance'])
    assert.is(stampsAfter('relay', code), 0, code)
  for (const code of ['nothing', ...ORDER.internal]) assert.is(stampsAfter('internal', code), 0, code)
})

test('[T13] a session ends at its moment: a millisecond before it is good', () => {
  const start = sound()
  start.facts.session = { ...session(start), expiresAt: NOW + 1 }
  assert.is(decide('http', start).code, 'granted')
})

test('[T9] the fifth is granted, the sixth is not; one that is just ending still counts', () => {
  const start = sound()
  for (const place of ['held', 'charging', 'charged', 'free'] as const) {
    start.running = held(4, place)
    assert.is(decide('http', start).code, 'granted')
    start.running = held(5, place)
    assert.is(decide('http', start, true).code, 'too_many_running')
  }
})

test('[T8 E13] the window slides: a stamp of 60 s ago has left it, and the answer says when the oldest will', () => {
  const start = sound()
  start.startTimes = [NOW - 60_000, ...Array.from({ length: 9 }, () => NOW - 10)]
  const { code, it } = decide('http', start)
  assert.is(code, 'granted')
  assert.is(it.context().startTimes.length, 10)
  for (const [age, seconds] of [
    [59_999, 1],
    [59_001, 1],
    [59_000, 1],
    [58_999, 2],
    [0, 60],
  ] as const) {
    start.startTimes = [NOW - age, ...Array.from({ length: 9 }, () => NOW)]
    const { refusal } = decide('http', start)
    assert.is(refusal?.retryAfterSeconds, seconds, `${age}`)
  }
})

test('[E13] for concurrency the answer says one second', () => {
  const { refusal } = decide('http', failing('too_many_running'))
  assert.is(refusal?.retryAfterSeconds, 1)
})

/** A start of a workspace whose places are held, with what is left of its allowance. */
const holding = (running: Record<string, Slot>, freeRemaining: number, creditBalance: number, slotVersion = 0) => ({
  ...sound(),
  running,
  facts: { ...sound().facts, allowance: { freeRemaining, creditBalance }, slotVersion },
})

test('[B4] a running task holds its place: free places plus credits minus running tasks', () => {
  assert.is(decide('http', holding(held(2), 2, 1)).code, 'granted')
  assert.is(decide('http', holding(held(3), 2, 1)).code, 'places_held')
  assert.is(decide('http', holding(held(2, 'free'), 0, 1)).code, 'granted')
  assert.is(decide('http', holding(held(2, 'charged'), 0, 1)).code, 'granted')
})

test('[T18 T7] a 402 because places are held says so, with the real numbers; one with nothing left says that', () => {
  const { refusal } = decide('http', holding(held(1), 0, 1))
  assert.equal(refusal, {
    code: 'places_held',
    message: REFUSALS.places_held,
    allowance: { freeRemaining: 0, creditBalance: 1 },
    retryAfterSeconds: null,
  })
  assert.is(decide('http', holding({}, 0, 0)).code, 'no_allowance')
  assert.is(decide('http', holding(held(1), 0, 0)).code, 'no_allowance')
})

test('[B3 B4] while a task is being charged a refusal is not believed, but for the last look', () => {
  const charging = holding(held(1, 'charging'), 0, 1)
  assert.is(decide('http', charging).code, 'stale')
  assert.is(decide('http', charging, true).code, 'places_held')
  assert.is(decide('relay', charging).code, 'stale')
})

test('[B3 B4] what was read before a place was given back is read again when it would be wrong either way', () => {
  // Read before a charge that is done by now: one left by the reading, none in truth.
  assert.is(decide('http', holding(held(1, 'charged'), 0, 1, -1)).code, 'stale')
  // Far from the edge it does not matter.
  assert.is(decide('http', holding(held(1, 'charged'), 0, 5, -1)).code, 'granted')
})

const empty = {
  workspaceId: 'w1',
  limits: DEFAULT_LIMITS,
  startTimes: [],
  running: {},
  slotVersion: 0,
  gaveUp: false,
  queue: NO_QUEUE,
  pools: NO_POOLS,
  rateFreeAt: 0,
  restarts: {},
}

test('[T8 E13] startTimes from the future do not count: a clock that was set back refuses nobody for an hour', () => {
  const facts: Facts = { allowance: { freeRemaining: null, creditBalance: 0 }, slotVersion: 0, session: 'missing' }
  const candidate = { taskId: 't1', facts, final: false, at: NOW } as const
  const future = Array.from({ length: STARTS_PER_WINDOW_MAX }, (_, n) => NOW + 60 * START_WINDOW_MS + n)
  assert.not(checks.rateExceeded({ ...empty, startTimes: future }, candidate))
  const present = Array.from({ length: STARTS_PER_WINDOW_MAX }, (_, n) => NOW - n)
  const full = { ...empty, startTimes: [...present, ...future] }
  assert.ok(checks.rateExceeded(full, candidate))
  const { retryAfterSeconds } = refusalOf('rate_limited', full, candidate)
  assert.ok(retryAfterSeconds !== null && retryAfterSeconds <= START_WINDOW_MS / 1_000, String(retryAfterSeconds))
})

test('[T8] starts that a clock ahead has stamped count again when the clock that was set back has caught up', () => {
  const ahead = Array.from({ length: 6 }, (_, n) => NOW + 30_000 + n)
  const after = withStart({ ...empty, startTimes: ahead }, NOW)
  assert.equal(after, [NOW, ...ahead])
  const full = [NOW, NOW + 1, NOW + 2, NOW + 3].reduce(
    (startTimes, at) => withStart({ ...empty, startTimes }, at),
    ahead as readonly number[],
  )
  const facts: Facts = { allowance: { freeRemaining: null, creditBalance: 0 }, slotVersion: 0, session: 'missing' }
  const candidate = { taskId: 't1', facts, final: false } as const
  assert.not(checks.rateExceeded({ ...empty, startTimes: full }, { ...candidate, at: NOW + 4 }))
  assert.ok(checks.rateExceeded({ ...empty, startTimes: full }, { ...candidate, at: NOW + 31_000 }))
})

test.run()
