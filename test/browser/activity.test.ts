import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Activity } from '../../src/browser/act/activity.ts'

const test = suite('what an action waits for')

/** A tab's session that says what the test has it say. */
function watched() {
  const listeners = new Map<string, (params: never) => void>()
  const activity = new Activity(
    () => {},
    () => true,
  )
  void activity.watch({
    send: async () => ({}) as never,
    on: (event: string, listener: (params: never) => void) => {
      listeners.set(event, listener)
      return () => {}
    },
  })
  const said = (event: string, params: object) => listeners.get(event)?.(params as never)
  let requests = 0
  const asks = (url: string, script: string | null, type = 'Fetch') => {
    const requestId = String(++requests)
    const initiator = script === null ? { type: 'other' } : { type: 'script', stack: { callFrames: [{ url: script }] } }
    const documentURL = 'https://app.shop.example/orders'
    said('Network.requestWillBeSent', { requestId, type, documentURL, request: { url, method: 'GET' }, initiator })
    return { answered: () => said('Network.loadingFinished', { requestId }) }
  }
  return { activity, asks }
}

const PAGE_SCRIPT = 'https://cdn.shop.example/app.js'
const TRACKER = 'https://cdn.tracker.example/t.js'

test('[G23] a request of the page is waited for until it is answered', () => {
  const { activity, asks } = watched()
  const request = asks('https://api.shop.example/orders', PAGE_SCRIPT)
  assert.equal(activity.pendingSince(0), ['https://api.shop.example/orders'])
  request.answered()
  assert.equal(activity.pendingSince(0), [])
  assert.ok(Number.isFinite(activity.networkAt))
})

test('[G23] what a script of another site sends to another site is not waited for', () => {
  const { activity, asks } = watched()
  asks('https://collect.tracker.example/event', TRACKER)
  assert.equal(activity.pendingSince(0), [])
  assert.not.ok(Number.isFinite(activity.networkAt))
})

test('[G23] pictures and beacons are not waited for', () => {
  const { activity, asks } = watched()
  asks('https://app.shop.example/beacon', PAGE_SCRIPT, 'Ping')
  asks('https://app.shop.example/picture.png', null, 'Image')
  assert.equal(activity.pendingSince(0), [])
})

for (const [what, url, script] of [
  ['the page’s own script asks another site', 'https://rates.bank.example/eur', PAGE_SCRIPT],
  ['a script of another site asks the page’s site', 'https://api.shop.example/cart', TRACKER],
  ['nobody knows which script asked', 'https://pay.bank.example/form', null],
] as const)
  test(`[G23] it is waited for when ${what}`, () => {
    const { activity, asks } = watched()
    asks(url, script)
    assert.equal(activity.pendingSince(0), [url])
  })

const POLL = 'https://app.shop.example/messages?since=1'
/** The page has asked for this by itself, as it does all the time. */
function polling() {
  const { activity, asks } = watched()
  for (let time = 0; time < 3; time += 1) asks(POLL, PAGE_SCRIPT).answered()
  return { activity, asks }
}

test('[G23] what the page asks for again and again by itself is not waited for', () => {
  const { activity, asks } = polling()
  activity.begin(0)
  const before = activity.networkAt
  activity.acted(performance.now() - 100)
  asks('https://app.shop.example/messages?since=2', PAGE_SCRIPT).answered()
  asks('https://app.shop.example/messages?since=3', PAGE_SCRIPT)
  assert.equal(activity.pendingSince(0), [])
  assert.is(activity.networkAt, before)
})

test('[G23] it is waited for where it comes at once after an input, or is asked for in another way', () => {
  const { activity, asks } = polling()
  activity.begin(0)
  activity.acted()
  asks(POLL, PAGE_SCRIPT)
  assert.equal(activity.pendingSince(0), [POLL])
  asks('https://app.shop.example/other', PAGE_SCRIPT)
  assert.is(activity.pendingSince(0).length, 2)
})

test('[G23] the end of a request from before the action is no news of it', () => {
  const { activity, asks } = watched()
  const stuck = asks('https://app.shop.example/long-poll', PAGE_SCRIPT)
  const before = activity.networkAt
  activity.begin(performance.now() + 1)
  stuck.answered()
  assert.is(activity.networkAt, before)
})

test.run()
