import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { fieldsOf, fitted, shownFields } from '../../src/browser/holds/fields.ts'
import { Holds } from '../../src/browser/holds/holds.ts'
import { type Circumstances, isHeld, isSameSite } from '../../src/browser/holds/judge.ts'
import { type PausedRequest, requestOf } from '../../src/browser/holds/paused.ts'
import { shapeOf } from '../../src/browser/holds/shape.ts'
import { numbersIn, termsOf } from '../../src/browser/holds/terms.ts'
import { namesAct } from '../../src/browser/holds/words.ts'
import { Held as HeldFrame } from '../../src/wire/held.ts'
import { AMOUNTS } from '../support/holds/ways.ts'

const test = suite('what is held and its terms, without a browser')

const SHOP = 'https://shop.example'
/** A request of a page, and what became of it. */
const aRequest = (path: string, more: Partial<PausedRequest> = {}) => {
  const became: string[] = []
  const settle = (how: string) => async () => became.push(how) > 0
  const request: PausedRequest = {
    url: new URL(path, SHOP).href,
    ...{ method: 'POST', headers: {}, body: '', bytes: more.body ?? '', type: 'Fetch', isRedirect: false },
    hold: () => void became.push('waits'),
    proceed: settle('sent'),
    fail: settle('dropped'),
    ...more,
  }
  return { request, became }
}
const NORMAL: Circumstances = {
  ...{ approvals: 'irreversible', isArmed: false, isQuiet: false, isForm: false, page: `${SHOP}/`, secrets: [] },
}
const get = { method: 'GET', type: 'Document' }
const graphql = (...queries: string[]) => ({ body: JSON.stringify(queries.map((query) => ({ query }))) })
const button = (name: string) => ({ role: 'button', name, names: [name], form: null })

for (const [what, path, more, given, expected] of [
  ['a read', '/teas', get, {}, false],
  ['a read that asks for another method', '/go/7?_method=delete', get, {}, true],
  ['one by a header', '/teas', { ...get, headers: { 'x-http-method-override': 'PATCH' } }, {}, true],
  ['a read after a press that names an act', '/teas', { method: 'GET' }, { isArmed: true }, true],
  ['where a server leads on to', '/order/7/pay', { ...get, isRedirect: true }, {}, false],
  ['what a page loads that was just opened', '/buy', { method: 'GET' }, { isQuiet: true }, false],
  ['where the model goes', '/buy', get, { isQuiet: true }, true],
  ['a form by GET', '/go?item=7', get, { isForm: true }, true],
  ['a form that searches', '/teas?q=green', get, { isForm: true }, false],
  ['a form that searches for an act', '/delete?q=green', get, { isForm: true }, true],
  ['a cart', '/cart/add', {}, {}, false],
  ['a cart, if everything is asked for', '/cart/add', {}, { approvals: 'always' }, true],
  ['the end of a cart', '/cart/clear', {}, {}, true],
  ['a search with an act in it', '/api/search', { body: '{"action": "purchase"}' }, {}, true],
  ['GraphQL that reads', '/graphql', graphql('{ teas }', 'query Teas { teas }'), {}, false],
  ['GraphQL that reads and writes', '/graphql', graphql('{ teas }', 'mutation Pay { pay }'), {}, true],
  ['GraphQL that says it reads', '/graphql', graphql('# {\nmutation Pay { pay }\n# }'), {}, true],
  ['a sign-in with a secret', '/login', { body: 'user=a&password=horse' }, { secrets: ['horse'] }, false],
  ['a sign-in with something else', '/login', { body: 'user=a&password=cow' }, { secrets: ['horse'] }, true],
  ['a beacon', '/seen', { type: 'Ping' }, {}, false],
  ['a beacon after such a press', '/seen', { type: 'Ping' }, { isArmed: true }, true],
  ['a beacon to another site', 'https://other.example/seen', { type: 'Ping' }, { isArmed: true }, false],
  ['a choice of language', '/api/language', { body: 'lang=de' }, {}, false],
  ['what is sent in a language', '/api/posts?lang=de', {}, {}, true],
  ['what is sent for a cart', '/api/cards?cart_id=7', {}, {}, true],
  ['a script whose address names an act', '/buy?item=7', { method: 'GET', type: 'Script' }, {}, true],
  ['a prefetch of an address that names an act', '/buy?item=7', { method: 'GET', type: 'Prefetch' }, {}, true],
  ['a search that asks for another method', '/api/search', { headers: { 'x-http-method': 'DELETE' } }, {}, true],
  ['an act that a secret confirms', '/auth/account/delete', { body: 'password=horse' }, { secrets: ['horse'] }, true],
  ['a session that a secret ends', '/session', { method: 'DELETE', body: 'k=horse' }, { secrets: ['horse'] }, true],
  ['telemetry', '/collect?en=purchase', {}, {}, false],
  ['telemetry of another site', 'https://o1.ingest.sentry.example/api/1/store/', {}, {}, false],
  ['an act on what is collected', '/track/7/delete', {}, {}, true],
  ['a log that is deleted', '/logs/7', { method: 'DELETE' }, {}, true],
  ['a page of who collects telemetry', 'https://sentry.io/api/1/', {}, { page: 'https://sentry.io/' }, true],
] as const)
  test(`[I14 I16] ${what} ${expected ? 'waits' : 'goes on'}`, () =>
    assert.is(isHeld(aRequest(path, more).request, { ...NORMAL, ...given }), expected))

test('[I13] what is allowed for the task: ids and numbers do not matter, method, site, words and operations do', () => {
  const shape = (path: string, more = {}) => shapeOf(aRequest(path, more).request)
  assert.is(shape('/orders/7?a=1'), `POST ${SHOP}/orders/*`)
  assert.is(shape('/orders/0b5c7a60-1111-4222-8333-944455556666'), shape('/orders/8'))
  const others = [shape('/orders/7', { method: 'PUT' }), shape('/carts/7'), shape('https://other.example/orders/7')]
  assert.is(new Set([shape('/orders/7'), ...others]).size, 4)
  assert.is(shape('/graphql', graphql('mutation Pay { pay }')), `POST ${SHOP}/graphql (Pay)`)
})

test('[I5] what will be sent is shown, but for passwords and numbers of cards', () => {
  const { request } = aRequest('/pay?to=Ann', { body: '{"card": "4111 1111 1111 1234", "user": {"pin": "4711"}}' })
  const fields = [
    { name: 'to', value: 'Ann' },
    { name: 'card', value: '4111 1111 1111 1234' },
    { name: 'user.pin', value: '4711' },
  ]
  assert.equal(fieldsOf(request), fields)
  assert.equal(
    shownFields(fields).map(({ value }) => value),
    ['Ann', '•••• 1234', '••••'],
  )
})

test('[I5] what is shown of the fields says where it is not all', () => {
  const shown = shownFields(
    Array.from({ length: 45 }, (_, n) => ({ name: `f${n}`, value: 'x'.repeat(n === 0 ? 300 : 9) })),
  )
  assert.is(shown.length, 40)
  assert.match(shown[0]?.value ?? '', /^x{199}…$/)
  assert.equal(shown.at(-1), { name: '…', value: '6 more' })
})

test('[I5] what is held is within what a frame may have, whatever a page and placeholders make of it', () => {
  const long = 'x'.repeat(5_000)
  const held = {
    ...{ id: 'h1', kind: 'request' as const, method: long, site: SHOP, path: long, shape: long, terms: '0'.repeat(64) },
    ...{ target: { role: long, name: long }, fields: [{ name: long, value: long }], numbers: [long] },
  }
  assert.is(v.is(HeldFrame, held), false)
  assert.is(v.is(HeldFrame, fitted(held)), true)
})

test('[I7] nothing that the page says turns around what stands behind it', () => {
  const text = 'Buy\u202e now\u2066\u0000\u009b\n'
  const shown = fitted({
    ...{
      id: 'h1',
      kind: 'request',
      method: 'POST',
      site: SHOP,
      path: '/',
      shape: `act ${text}`,
      terms: '',
      numbers: [text],
    },
    ...{ target: { role: text, name: text }, fields: [{ name: text, value: text }] },
  })
  const legible = 'Buy\ufffd now\ufffd\ufffd\ufffd\n'
  assert.equal(
    [shown.shape, shown.numbers, shown.target, shown.fields],
    [`act ${legible}`, [legible], { role: legible, name: legible }, [{ name: legible, value: legible }]],
  )
})

test('[I7] every part is a part of the terms', async () => {
  const terms = await Promise.all([['a', [1]], ['a', [2]], ['b', [1]], ['a']].map((parts) => termsOf(...parts)))
  assert.is(new Set(terms).size, 4)
  assert.is(await termsOf('a', [1]), terms[0])
})

for (const [one, other, expected] of [
  ['https://www.shop.example', 'https://api.shop.example', true],
  ['https://shop.co.uk', 'https://www.shop.co.uk', true],
  ['https://evil.co.uk', 'https://bank.co.uk', false],
  ['https://www.gmx.de', 'https://navigator.gmx.de', true],
  ['https://evil.github.io', 'https://bank.github.io', false],
  ['http://127.0.0.1:1', 'http://127.0.0.1:2', false],
] as const)
  test(`[I16] ${one} and ${other} are ${expected ? 'one site' : 'two sites'}`, () =>
    assert.is(isSameSite(one, other), expected))

test('[I16] a label names an act, however it is written', () => {
  for (const label of [
    'Pay now',
    'Zahlungs\u00adpflichtig be\u00adstellen',
    'De\u200blete',
    '\u202eBuy',
    'Ｐａｙ',
    '𝐃𝐞𝐥𝐞𝐭𝐞',
  ])
    assert.ok(namesAct(label), label)
  for (const label of ['Next', 'Teas\u00ad', '\u200b']) assert.not.ok(namesAct(label), label)
})

/** The holds of a task with one tab, whose page tries to send something. */
async function aTab(gate: Partial<Holds['gate']> = {}, isOpened = false) {
  const clock = { now: 0 }
  const holds = new Holds(
    { approvals: 'irreversible', allowedShapes: [], ...gate },
    () => [],
    () => clock.now,
  )
  const heard = new Map<string, (event: never) => void>()
  const cdp = {
    on: (name: string, listen: () => void) => void heard.set(name, listen),
    send: async () => ({}),
  } as never
  let paused: (request: PausedRequest) => void = () => {}
  const pauseRequests = async (listen: typeof paused) => {
    paused = listen
  }
  await holds.follow({ cdp, pauseRequests }, isOpened)
  const shows = (type: string) => heard.get('Page.frameNavigated')?.({ frame: { url: `${SHOP}/` }, type } as never)
  shows('Navigation')
  const sends = async (path: string, more: Partial<PausedRequest> = {}) => {
    const { request, became } = aRequest(path, more)
    paused(request)
    for (let n = 0; n < 5; n++) await Promise.resolve()
    return became
  }
  const press = (name: string) => holds.begin(cdp, [button(name)], false)
  return { holds, clock, sends, press, shows, opens: () => holds.begin(cdp, [], true) }
}

test('[I19] while an act settles a page goes on at its interval alone: due, and seen twice before', async () => {
  const { holds, clock, sends, press } = await aTab({ approvals: 'always' }, true)
  const at = async (ms: number) => {
    clock.now = ms
    return (await sends('/api/prices'))[0]
  }
  assert.is(await at(0), 'sent')
  press('Go on')
  await holds.settling(async () => assert.is(await at(1_000), 'waits', 'sent once there is no interval yet'))
  assert.is(await at(1_000), 'sent', 'between acts exactly the same is sent at any time')
  await holds.settling(async () => {
    assert.is(await at(1_700), 'waits', 'early')
    assert.is(await at(2_300), 'waits', 'late')
    assert.is(await at(2_150), 'sent', 'due')
    assert.is(await at(2_150), 'waits', 'a second one at once')
    assert.is(await at(3_300), 'sent', 'due again')
  })
})

test('[I19] a read that the page sent before is sent after a press that names an act, unless its address names one', async () => {
  const { sends, press } = await aTab({}, true)
  const read = { method: 'GET' }
  await sends('/api/total?id=1', read)
  await sends('/api/vote', read)
  press('Pay now')
  assert.equal(await sends('/api/total?id=1', read), ['sent'])
  assert.equal(await sends('/api/total?id=2', read), ['waits'])
})

test('[I19] a body that the protocol does not tell whole, and a long one, is never the same again', async () => {
  const { sends, press } = await aTab({}, true)
  const long = { body: 'x'.repeat(30_000) }
  await sends('/api/a', { bytes: null })
  await sends('/api/b', long)
  press('Go on')
  assert.equal([await sends('/api/a', { bytes: null }), await sends('/api/b', long)], [['waits'], ['waits']])
})

test('[I19] only the newest requests of a page are known', async () => {
  const { sends, press } = await aTab({}, true)
  for (let n = 0; n <= 200; n++) await sends(`/api/${n}`)
  press('Go on')
  assert.equal([await sends('/api/0'), await sends('/api/1')], [['waits'], ['sent']])
})

test('[I19] a page that is opened is quiet until the next press, one that is shown again is not', async () => {
  const { sends, press, opens, shows } = await aTab({}, true)
  press('Go on')
  assert.equal(await sends('/api/1'), ['waits'])
  opens()
  shows('BackForwardCacheRestore')
  assert.equal(await sends('/api/1'), ['waits'])
  opens()
  shows('Navigation')
  assert.equal(await sends('/api/1'), ['sent'])
  opens()
  press('Go on')
  shows('Navigation')
  assert.equal(await sends('/api/2'), ['waits'], 'the press has led there')
})

test('[I19] the bytes of a body are known when the protocol tells each part', () => {
  const paused = (more: object) => requestOf({ requestId: '1', request: { url: SHOP, method: 'POST', ...more } }).bytes
  assert.is(paused({}), '')
  assert.is(paused({ hasPostData: true }), null)
  assert.is(paused({ hasPostData: true, postData: 'a' }), null)
  assert.is(paused({ hasPostData: true, postData: 'a', postDataEntries: [{ bytes: 'YQ==' }, {}] }), null)
  assert.is(paused({ hasPostData: true, postDataEntries: [{ bytes: 'YQ==' }, { bytes: 'Yg==' }] }), 'YQ==,Yg==')
})

test('[I15] an approved act may send one request to its site, and no more', async () => {
  const { holds, sends, press } = await aTab()
  press('Go on')
  holds.carry(SHOP)
  assert.equal(await sends('https://other.example/do/1'), ['waits'])
  assert.equal(await sends('/do/1'), ['sent'])
  assert.equal(await sends('/do/2'), ['waits'])
  holds.carry(SHOP)
  holds.ends()
  assert.equal(await sends('/do/3'), ['waits'])
  holds.carry(SHOP)
  press('Go on')
  assert.equal(await sends('/do/4'), ['waits'], 'the next act has not been approved')
})

test('[I14] what an approved request leads to is read on its own site, and elsewhere as any other', async () => {
  const { holds, sends, press } = await aTab()
  press('Pay now')
  holds.followUp(`${SHOP}/do/1`)
  assert.equal(await sends('/buy/7', get), ['sent'])
  assert.equal(await sends('https://bank.example/authentication', get), ['sent'])
  assert.equal(await sends('https://other.example/buy/7', get), ['waits'])
})

test('[I13 I16] what is allowed for the task is sent; after a press that names an act reads wait, too', async () => {
  const { sends, press } = await aTab({ allowedShapes: [`POST ${SHOP}/do/*`] })
  press('Go on')
  assert.equal([await sends('/do/7'), await sends('/be/7')], [['sent'], ['waits']])
  assert.equal(await sends('/teas', { method: 'GET' }), ['sent'])
  press('Pay now')
  assert.equal(await sends('/teas', { method: 'GET' }), ['waits'])
})

test('[I14] at the end of its task nothing that waits is sent, and nothing that comes later', async () => {
  const { holds, sends, press } = await aTab()
  press('Go on')
  const waiting = await sends('/do/1')
  await holds.end()
  assert.equal([waiting, await sends('/do/2')], [['waits', 'dropped'], ['dropped']])
})

for (const [text, numbers] of [
  ['Total: $ 52.50\nQuantity 2', ['52.50', '2']],
  ['52.50\r\n2', ['52.50', '2']],
  ['52.50\t2', ['52.50', '2']],
  ['52.50\u2028100', ['52.50', '100']],
  ['2 52.50', ['2', '52.50']],
  ['10 2024', ['10', '2024']],
  ['1 000,00 €', ['1 000,00']],
  ['1\u00a0000,00 €', ['1 000,00']],
  ['12\u202f345\u2009678,90 €', ['12 345 678,90']],
  ["CHF 1'000.00", ["1'000.00"]],
  ['CHF 1’000.–', ['1’000']],
  ['R$ 1.000,00', ['1.000,00']],
  ['١٬٠٠٠٫٥٠ ر.س', ['١٬٠٠٠٫٥٠']],
  ['१,००० रुपये', ['१,०००']],
  ['¥一千', ['一千']],
  ['$ .99, now 1.', ['.99', '1']],
  ['£1.00 to 12-34-56', ['1.00', '12-34-56']],
  ['ends in 04:59', []],
  ['in 14:05:30, 23:59 o’clock', []],
  ['Pris 49:90', ['49:90']],
  ['Pris 49:50 kr', ['49:50']],
  ['SEK 49:50', ['49:50']],
  ['49 kr\n04:59', ['49']],
] as const)
  test(`[I18] the numbers of ${JSON.stringify(text)}`, () => assert.equal(numbersIn(text), numbers))

test('[I18] every amount that changes is another number', () => {
  for (const [before, after] of AMOUNTS) assert.not.equal(numbersIn(before), numbersIn(after))
})

test.run()
