import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { PAIRINGS_PER_KEY_MINUTE_MAX } from '../../src/identity/pairings.ts'
import { startService } from '../../src/main.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('one door')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
const service = await startService({ config, log: SILENT })
test.after(() => service.stop())

const PASSWORD = 'correct horse'
const user = new Browser(service.url)
await user.signUp('ann@example.com', PASSWORD)
const KEY = service.firstKey ?? ''
const keyUser = new Browser(service.url)
await keyUser.send('/dashboard/key', { method: 'POST', body: new URLSearchParams({ key: KEY }) })

for (const [name, browser, right] of [
  ['an account', user, PASSWORD],
  ['a key', keyUser, KEY],
] as const)
  test(`[A29] who signed in with ${name} creates a key by giving again what they signed in with`, async () => {
    for (const [password, status] of [
      ['', 403],
      ['svc_live_wrong', 403],
      [right, 201],
    ] as const)
      assert.is((await browser.api('POST', '/v1/api-keys', { name: 'x', password })).status, status, password)
  })

test('[S17] the pairing links of a workspace are counted, whoever asks for them', async () => {
  let made = 0
  for (let n = 0; n <= PAIRINGS_PER_KEY_MINUTE_MAX; n++)
    if ((await user.api('POST', '/v1/browser-sessions/pair')).status === 201) made += 1
  assert.is(made, PAIRINGS_PER_KEY_MINUTE_MAX)
})

test('[A25] a form and a request of another origin are refused alike, before anything is done', async () => {
  const foreign = { method: 'POST', headers: { origin: 'https://evil.example' } }
  for (const path of ['/dashboard/sign-in', '/dashboard/sign-up', '/dashboard/sign-out', '/dashboard/key', '/forgot']) {
    const answer = await user.send(path, { ...foreign, body: new URLSearchParams({ key: KEY }) })
    assert.equal([answer.status, answer.headers.getSetCookie()], [403, []], path)
  }
  assert.is((await user.send('/v1/browser-sessions/pair', foreign)).status, 403)
  assert.is((await user.send('/v1/me')).status, 200)
})

test('[E18] [Y7] what a tool of MCP does behind a proxy is the client’s doing, at the address that it came to', async () => {
  const answer = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'tasks.localhost',
      'x-forwarded-proto': 'https',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'browser_pair_browser', arguments: {} },
    }),
  })
  assert.match(await answer.text(), /https:\/\/tasks\.localhost\/pair\/svc_pair_/)
  let addresses: string[] = []
  // The log is written beside the answers.
  await eventually(async () => {
    const log = await fetch(`${service.url}/v1/audit?action=createPairing`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const { entries } = (await log.json()) as { entries: { address: string }[] }
    addresses = entries.map(({ address }) => address)
    return addresses.length > 0
  }, 'the entry of the audit log')
  assert.equal(addresses, ['203.0.113.9'])
})

test.run()
