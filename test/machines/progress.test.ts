import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { STILL_MS_MAX } from '../../machines/limits.ts'
import { failuresWith, isNoted, isRefused, NO_ACTIONS, type Progress, withAction } from '../../machines/progress.ts'
import type { CallOutcome } from '../../machines/records.ts'

const test = suite('progress')

const AT = 5_000
const call = (name: string) => ({ tool: 'computer', input: { action: 'left_click', ref: name } })
const done = (fingerprint: string): CallOutcome => ({
  status: 'done',
  output: 'Clicked',
  screenshot: null,
  fingerprint,
})

/** Plays actions, each `<call> <state of the page afterwards>`; gives where it was noted, and the last progress. */
function play(actions: readonly string[]): { noted: number[]; progress: Progress } {
  let progress = NO_ACTIONS
  const noted: number[] = []
  actions.forEach((action, index) => {
    const [name = '', state = ''] = action.split(' ')
    progress = withAction(progress, call(name), done(state), AT)
    if (isNoted(progress)) noted.push(index + 1)
  })
  return { noted, progress }
}
const rounds = (count: number, ...actions: string[]) => Array.from({ length: count }, () => actions).flat()

test('[L9] the third time that an action leaves the page as it was is noted, once', () => {
  assert.equal(play(rounds(5, 'a 1')).noted, [3])
})

test('[L10] the sixth time is refused; another action is not', () => {
  const { progress } = play(rounds(5, 'a 1'))
  assert.ok(isRefused(progress, call('a'), AT))
  assert.not(isRefused(progress, call('b'), AT))
  assert.not(isRefused(play(rounds(4, 'a 1')).progress, call('a'), AT))
})

test('[L9 L10] a stepper and a list that scrolls go on as long as something changes', () => {
  const { noted, progress } = play(Array.from({ length: 40 }, (_, n) => `plus ${n}`))
  assert.equal(noted, [])
  assert.not(isRefused(progress, call('plus'), AT))
})

test('[L22] a cycle of two actions is noted after three rounds and refused after eight', () => {
  const { noted } = play(rounds(8, 'a 1', 'b 2'))
  assert.equal(noted, [6])
  assert.not(isRefused(play(rounds(7, 'a 1', 'b 2')).progress, call('a'), AT))
  const { progress } = play(rounds(8, 'a 1', 'b 2'))
  assert.ok(isRefused(progress, call('a'), AT))
  assert.not(isRefused(progress, call('b'), AT))
})

test('[L22] a cycle of three is found, and refused when it fills the window', () => {
  assert.equal(play(rounds(3, 'a 1', 'b 2', 'c 3')).noted, [9])
  assert.ok(isRefused(play(rounds(6, 'a 1', 'b 2', 'c 3')).progress, call('a'), AT))
})

test('[L22] the same actions on a page that changes are no cycle', () => {
  const actions = Array.from({ length: 20 }, (_, n) => [`next ${n}`, `read ${n}`]).flat()
  assert.equal(play(actions).noted, [])
})

test('[L9] without a fingerprint the result is compared, as before', () => {
  const result = (output: string): CallOutcome => ({ status: 'done', output, screenshot: null })
  let [same, other] = [NO_ACTIONS, NO_ACTIONS]
  for (let n = 0; n < 5; n++) {
    same = withAction(same, call('a'), result('Clicked'), AT)
    other = withAction(other, call('a'), result(`Clicked ${n}`), AT)
  }
  assert.ok(isRefused(same, call('a'), AT))
  assert.not(isRefused(other, call('a'), AT))
})

const SCREENSHOT = { tool: 'computer', input: { action: 'screenshot' } }
const WAIT = { tool: 'computer', input: { action: 'wait', duration: 30 } }
const READ = { tool: 'read_page', input: { filter: 'all' } }
const FAILED: CallOutcome = { status: 'failed', category: 'internal', message: 'No such element' }

type Call = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
/** Calls on a page that stays as it is, so many ms apart; gives when the next one is refused first. */
function still(calls: readonly Call[], apartMs: number): number | null {
  let progress = NO_ACTIONS
  for (let n = 0; n < 200; n++) {
    const asked = calls[n % calls.length] as Call
    if (isRefused(progress, asked, n * apartMs)) return n * apartMs
    progress = withAction(progress, asked, done('still'), n * apartMs)
  }
  return null
}

for (const [what, calls] of [
  ['waits', [WAIT]],
  ['screenshots', [SCREENSHOT]],
  ['a wait and a look in turn', [WAIT, READ]],
  ['two looks in turn', [SCREENSHOT, READ]],
] as const)
  test(`[L40] ${what} on a page that stays as it is may go on for ten minutes, however many`, () => {
    const refusedAt = still(calls, 4_000) ?? 0
    assert.ok(refusedAt >= STILL_MS_MAX && refusedAt <= STILL_MS_MAX + 10_000, `${refusedAt}`)
  })

test('[L40] who sees something new may wait on', () => {
  let progress = NO_ACTIONS
  for (let n = 0; n < 50; n++) {
    progress = withAction(progress, WAIT, done(`row ${n}`), n * 60_000)
    assert.not(isRefused(progress, WAIT, n * 60_000))
  }
})

test('[L40] what the user did not approve is no failure, and no success', () => {
  assert.is(failuresWith(4, call('e1'), { status: 'failed', category: 'aborted', message: 'Not approved.' }), 4)
})

test('[L40] failures count one after the other, whatever was asked; a wait is no success', () => {
  assert.is(failuresWith(4, call('e1'), FAILED), 5)
  assert.is(failuresWith(4, call('e1'), { status: 'unknown' }), 5)
  assert.is(failuresWith(4, WAIT, done('still')), 4)
  assert.is(failuresWith(4, READ, done('still')), 0)
})

test.run()
