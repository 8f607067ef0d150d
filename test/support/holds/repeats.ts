import * as assert from 'uvu/assert'
import { eventually } from '../eventually.ts'
import { type Attacked, type CallOptions, drop, open, pause } from './suite.ts'

/** What a page sends: path, method, headers, body as the page's script has it. */
interface Sent {
  readonly to: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const json = (to: string, value: unknown, more: Partial<Sent> = {}): Sent => ({
  to,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(JSON.stringify(value)),
  ...more,
})
const text = (to: string, body: string, more: Partial<Sent> = {}): Sent => ({ to, body: JSON.stringify(body), ...more })
const action = (id: string, args: unknown) => json('/settings', args, { headers: { 'next-action': id } })
const gwt = (method: string) =>
  text('/app/service', `7|0|4|http://shop/app/|A1|com.shop.Items|${method}|1|2|3|4|0|`, {
    headers: { 'content-type': 'text/x-gwt-rpc; charset=utf-8' },
  })
const bytes = (...all: number[]): Sent => ({ to: '/pb', body: `new Uint8Array([${all}])` })

/** What a page sends while it loads, and what the press of its button sends. */
export const REPEATS: Readonly<Record<string, readonly [loads: Sent, presses: Sent]>> = {
  'a server action': [action('11aa22', []), action('7f9c2e', ['42'])],
  'a server action that only its header names': [action('11aa22', ['42']), action('7f9c2e', ['42'])],
  'a function of an RPC': [json('/rpc', { fn: 'get', id: 5 }), json('/rpc', { fn: 'wipe', id: 5 })],
  'a function by its place': [json('/rpc', ['get', 5]), json('/rpc', ['wipe', 5])],
  'a call of a batch': [json('/rpc', [{ call: 'get' }]), json('/rpc', [{ call: 'get' }, { call: 'wipe' }])],
  'a nameless GraphQL mutation': [
    json('/graphql', { query: '{ items { id } }' }),
    json('/graphql', { query: 'mutation { wipe }' }),
  ],
  'a persisted GraphQL operation': [
    json('/graphql', { id: 'a1', variables: {} }),
    json('/graphql', { id: 'b2', variables: {} }),
  ],
  'a method of GWT': [gwt('list'), gwt('wipe')],
  'a path of Convex': [
    json('/api/run', { path: 'items:list', args: {} }),
    json('/api/run', { path: 'items:wipe', args: {} }),
  ],
  'a draft that is shown to all': [
    json('/drafts/1', { title: 'x', status: 'draft' }, { method: 'PUT' }),
    json('/drafts/1', { title: 'x', status: 'published' }, { method: 'PUT' }),
  ],
  'another draft is removed': [
    { to: '/drafts/1', method: 'DELETE' },
    { to: '/drafts/2', method: 'DELETE' },
  ],
  'another id in the query': [{ to: '/api/item?id=1' }, { to: '/api/item?id=2' }],
  'another amount': [json('/api/budget', { amount: 1 }), json('/api/budget', { amount: 5000 })],
  'another recipient': [json('/api/owner', { to: 'Ann' }), json('/api/owner', { to: 'Bob' })],
  'another method by a header': [
    text('/item/5', 'a=1'),
    text('/item/5', 'a=1', { headers: { 'x-http-method-override': 'DELETE' } }),
  ],
  'another tenant by a header': [
    text('/api/flag', 'on=1', { headers: { 'x-account': '1' } }),
    text('/api/flag', 'on=1', { headers: { 'x-account': '2' } }),
  ],
  'a value of a form': [
    text('/panel', 'what=show', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    text('/panel', 'what=wipe', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ],
  'bytes that are no text': [bytes(0xff, 0x41), bytes(0xfe, 0x41)],
  'exactly the same, by the press': [json('/toggle', { id: 7 }), json('/toggle', { id: 7 })],
}

const sends = ({ to, method = 'POST', headers = {}, body = 'undefined' }: Sent) =>
  `fetch(${JSON.stringify(to)}, { method: '${method}', headers: ${JSON.stringify(headers)}, body: ${body} })`

const press = async ({ browser }: Attacked, options: CallOptions) => {
  const { text: found } = await browser.call('find', { query: 'Go on' }, options)
  return browser.call('computer', { action: 'left_click', ref: /\[(e\d+)\]/.exec(found)?.[1] }, options)
}

/** What a page sent while it loaded lets nothing else leave, and not the same again when it is pressed. */
export async function tryRepeats(attacked: Attacked): Promise<void> {
  const { browser, shop } = attacked
  const wrong: string[] = []
  for (const [n, [name, [loads, presses]]] of Object.entries(REPEATS).entries()) {
    const approvals = n % 2 === 0 ? 'always' : 'irreversible'
    shop.pages.set(
      'repeat',
      `<script>${sends(loads)}; go = () => ${sends(presses)}</script><button onclick="go()">Go on`,
    )
    shop.writes.length = 0
    await browser.call('navigate', { url: `${shop.origin}/page/repeat` }, { approvals })
    await eventually(() => shop.writes.length === 1, `what the page sends by itself: ${name}`)
    const { held } = await press(attacked, { approvals })
    await pause(ARRIVES_MS)
    if (!held) wrong.push(`${name}: nobody was asked`)
    else await drop(attacked, held)
    if (shop.writes.length > 1) wrong.push(`${name}: ${shop.writes.slice(1)}`)
    await browser.end()
  }
  assert.equal(wrong, [])
}
const ARRIVES_MS = 120

/** Between acts a page goes on with what it has sent by itself, and with nothing else. */
export async function tryGoesOn(attacked: Attacked): Promise<void> {
  const { browser, shop } = attacked
  const loads = json('/api/prices', { ids: [1, 2] })
  shop.pages.set(
    'goes on',
    `<button>Go on</button><script>${sends(loads)}
      const timer = setInterval(async () => {
        const asked = await (await fetch('/price')).text()
        if (asked !== 'later') clearInterval(timer), asked === 'same' ? ${sends(loads)} : ${sends(json('/api/prices', { ids: [1, 3] }))}
      }, 60)</script>`,
  )
  for (const approvals of ['always', 'irreversible'] as const) {
    for (const [price, writes, isHeld] of [
      ['same', 2, false],
      ['other', 1, true],
    ] as const) {
      shop.price = 'later'
      shop.writes.length = 0
      await open(attacked, 'goes on')
      assert.is((await press(attacked, { approvals })).held, null)
      shop.price = price
      if (isHeld) await eventually(() => (shop.asked.get(price) ?? 0) > 0, 'the page to ask')
      await eventually(() => shop.writes.length === writes, `${writes} requests`)
      await pause(ARRIVES_MS)
      const { held } = await browser.call('computer', { action: 'hover', coordinate: [5, 5] }, { approvals })
      assert.is(held !== null, isHeld, `${approvals}: ${price}`)
      assert.is(shop.writes.length, writes)
      shop.asked.clear()
      await browser.end()
    }
  }
}

/** A press is one in all tabs: what a second page of the same site sends for it is not its own. */
export async function tryOtherTab(attacked: Attacked): Promise<void> {
  const { browser, shop } = attacked
  shop.writes.length = 0
  shop.pages.set(
    'told',
    `<script>new BroadcastChannel('go').onmessage = () => ${sends(json('/api/told', { a: 1 }))}</script>`,
  )
  shop.pages.set('tells', `<button onclick="new BroadcastChannel('go').postMessage(1)">Go on`)
  await open(attacked, 'tells')
  await browser.call('tabs', { action: 'open', url: `${shop.origin}/page/told` })
  await browser.call('tabs', { action: 'switch', tab: 1 })
  const { held } = await press(attacked, {})
  await pause(ARRIVES_MS)
  const asked = held ?? (await browser.call('read_page', {})).held ?? (await press(attacked, {})).held
  assert.equal([shop.writes, asked?.path], [[], '/api/told'])
  await browser.end()
}
