import { createHmac } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openBilling } from '../../../src/api/billing/payment.ts'

const SECRET = 'whsec_test'
const NOW = Date.UTC(2026, 1, 3)
const test = suite('payment')

const billing = openBilling({ webhookSecret: SECRET, freePerMonth: 20, clock: { now: () => NOW } })

const bytes = (text: string) => new TextEncoder().encode(text)

/** The header as the provider makes it. */
function signed(body: string, at = NOW, secret = SECRET): string {
  const seconds = Math.floor(at / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
const verify = (body: string, header = signed(body)) => billing.verify(bytes(body), header)

const paid = (metadata: unknown, more: object = {}) =>
  JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed', data: { object: { metadata } }, ...more })
const WORKSPACE = '5e0f7c1a-0a4b-4d5e-8a51-2f2f4b7f0c11'

test('[B8] reads workspace and credits of a paid checkout', () => {
  for (const credits of ['50', 50]) {
    assert.equal(verify(paid({ workspace_id: WORKSPACE, credits })), {
      kind: 'credits',
      event: 'checkout.session.completed',
      id: 'evt_1',
      workspaceId: WORKSPACE,
      credits: 50,
    })
  }
})

test('[B16] a checkout that is not paid yet gives nothing; the payment that follows it does, one that fails does not', () => {
  const metadata = { workspace_id: WORKSPACE, credits: '50' }
  const event = (type: string, payment_status?: string) =>
    verify(JSON.stringify({ id: `evt_${type}`, type, data: { object: { metadata, payment_status } } }))
  const kinds = (type: string, ...statuses: (string | undefined)[]) =>
    statuses.map((status) => event(`checkout.session.${type}`, status).kind)
  assert.equal(kinds('completed', 'unpaid', 'paid', 'no_payment_required', undefined), [
    'noted',
    'credits',
    'credits',
    'credits',
  ])
  assert.equal(kinds('async_payment_succeeded', 'paid'), ['credits'])
  assert.equal(kinds('async_payment_failed', 'unpaid'), ['noted'])
})

test('[B7] refuses a signature that was made with another secret, over another body, or at another time', () => {
  const body = paid({ workspace_id: WORKSPACE, credits: '50' })
  for (const header of [
    signed(body, NOW, 'whsec_other'),
    signed(`${body} `),
    signed(body, NOW - 301_000),
    signed(body).replace('v1=', 'v0='),
    signed(body).replace(/t=\d+/, `t=${NOW / 1000 - 1}`),
    '',
    'nonsense',
    't=,v1=',
    't=NaN,v1=zz',
    'v1=00',
  ]) {
    const event = verify(body, header)
    assert.is(event.kind, 'unhandled', header)
    assert.is(event.event, null)
  }
})

test('[B7] believes a signature of up to 300 seconds, before now or after', () => {
  const body = paid({ workspace_id: WORKSPACE, credits: '50' })
  assert.is(verify(body, signed(body, NOW - 300_000)).kind, 'credits')
  assert.is(verify(body, signed(body, NOW - 301_000)).kind, 'unhandled')
  assert.is(verify(body, signed(body, NOW + 300_000)).kind, 'credits')
  assert.is(verify(body, signed(body, NOW + 301_000)).kind, 'unhandled')
})

test('[B7] believes the right one of several signatures', () => {
  const body = paid({ workspace_id: WORKSPACE, credits: '50' })
  const [time, right] = signed(body).split(',')
  assert.is(verify(body, `${time},v1=${'0'.repeat(64)},${right}`).kind, 'credits')
  assert.is(verify(body, `${time},${right?.replace('v1', 'v0')}`).kind, 'unhandled', 'of another scheme')
})

test('[B9] names the type of an event that is not handled', () => {
  const body = JSON.stringify({ id: 'evt_2', type: 'invoice.paid', data: { object: {} } })
  const event = verify(body)
  assert.is(event.kind, 'unhandled')
  assert.is(event.event, 'invoice.paid')
})

test('[B11] refuses a signed body that is no JSON, or no event', () => {
  for (const body of ['', 'credits please', '{', '[]', 'null', '"text"', '{}', '{"type":7}']) {
    const event = verify(body)
    assert.is(event.kind, 'unhandled', body)
    assert.is(event.event, null)
  }
  assert.is(billing.verify(new Uint8Array([0xff, 0xfe, 0x00]), signed('x')).kind, 'unhandled')
})

test('[B11] refuses credits that are no positive integer', () => {
  const bad = [
    '0',
    '-5',
    '1.5',
    '1e3',
    ' 5',
    '5 ',
    '',
    'ten',
    '0x10',
    '99999999999999',
    0,
    -1,
    1.5,
    1e15,
    null,
    true,
    [5],
  ]
  for (const credits of bad) {
    const event = verify(paid({ workspace_id: WORKSPACE, credits }))
    assert.is(event.kind, 'unhandled', JSON.stringify(credits))
    assert.is(event.event, 'checkout.session.completed')
  }
})

test('[B11] refuses an event without id, workspace or metadata', () => {
  const metadata = { workspace_id: WORKSPACE, credits: '5' }
  for (const body of [
    paid(metadata, { id: undefined }),
    paid(metadata, { id: '' }),
    paid(metadata, { id: 7 }),
    paid({ credits: '5' }),
    paid({ credits: '5', workspace_id: { $ne: null } }),
    paid(undefined),
    paid([]),
    paid(metadata, { data: null }),
  ]) {
    assert.is(verify(body).kind, 'unhandled', body)
  }
})

test.run()
