import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isNoted, isRefused, NO_ACTIONS, type Progress, withAction } from '../../machines/progress.ts'
import type { CallOutcome } from '../../machines/records.ts'

const test = suite('progress')

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
    progress = withAction(progress, call(name), done(state))
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
  assert.ok(isRefused(progress, call('a')))
  assert.not(isRefused(progress, call('b')))
  assert.not(isRefused(play(rounds(4, 'a 1')).progress, call('a')))
})

test('[L9 L10] a stepper and a list that scrolls go on as long as something changes', () => {
  const { noted, progress } = play(Array.from({ length: 40 }, (_, n) => `plus ${n}`))
  assert.equal(noted, [])
  assert.not(isRefused(progress, call('plus')))
})

test('[L22] a cycle of two actions is noted after three rounds and refused after eight', () => {
  const { noted } = play(rounds(8, 'a 1', 'b 2'))
  assert.equal(noted, [6])
  assert.not(isRefused(play(rounds(7, 'a 1', 'b 2')).progress, call('a')))
  const { progress } = play(rounds(8, 'a 1', 'b 2'))
  assert.ok(isRefused(progress, call('a')))
  assert.not(isRefused(progress, call('b')))
})

test('[L22] a cycle of three is found, and refused when it fills the window', () => {
  assert.equal(play(rounds(3, 'a 1', 'b 2', 'c 3')).noted, [9])
  assert.ok(isRefused(play(rounds(6, 'a 1', 'b 2', 'c 3')).progress, call('a')))
})

test('[L22] the same actions on a page that changes are no cycle', () => {
  const actions = Array.from({ length: 20 }, (_, n) => [`next ${n}`, `read ${n}`]).flat()
  assert.equal(play(actions).noted, [])
})

test('[L9] without a fingerprint the result is compared, as before', () => {
  const result = (output: string): CallOutcome => ({ status: 'done', output, screenshot: null })
  let [same, other] = [NO_ACTIONS, NO_ACTIONS]
  for (let n = 0; n < 5; n++) {
    same = withAction(same, call('a'), result('Clicked'))
    other = withAction(other, call('a'), result(`Clicked ${n}`))
  }
  assert.ok(isRefused(same, call('a')))
  assert.not(isRefused(other, call('a')))
})

test.run()
