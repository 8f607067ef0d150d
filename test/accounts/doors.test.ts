import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { PAIRINGS_PER_KEY_MINUTE_MAX } from '../../src/pairings.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('one rule at every door')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
const service = await startService({ config, log: SILENT })
test.after(() => service.stop())

const PASSWORD = 'correct horse'
const user = new Browser(service.url)
await user.signUp('ann@example.com', PASSWORD)
const KEY = service.firstKey ?? ''
const keyUser = new Browser(service.url)
await keyUser.send('/dashboard/key', { method: 'POST', body: new URLSearchParams({ key: KEY }) })

const form = (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })

for (const [name, browser, right] of [
  ['an account', user, PASSWORD],
  ['a key', keyUser, KEY],
] as const)
  test(`[A29] who signed in with ${name} creates a key by API and dashboard alike`, async () => {
    for (const [given, isCreated] of [
      ['', false],
      ['svc_live_wrong', false],
      [right, true],
    ] as const) {
      const byApi = await browser.send('/v1/api-keys', { json: { name: 'x', password: given } })
      const byForm = await form(browser, '/dashboard/keys', { name: 'x', type: 'secret', confirm: given })
      const shown = /svc_live_[\da-f]{48}/.test(await byForm.text())
      assert.equal([byApi.status === 201, shown], [isCreated, isCreated], given)
    }
  })

test('[S17] the pairing links of the dashboard and those of the API are counted together', async () => {
  let made = 0
  for (let n = 0; n <= PAIRINGS_PER_KEY_MINUTE_MAX / 2; n++) {
    if ((await user.send('/v1/browser-sessions/pair', { json: {} })).status === 201) made += 1
    if (/svc_pair_/.test(await (await form(user, '/dashboard/pair', {})).text())) made += 1
  }
  assert.is(made, PAIRINGS_PER_KEY_MINUTE_MAX)
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
