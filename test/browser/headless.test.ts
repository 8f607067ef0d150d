import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBundled } from '../../src/browser/bundled.ts'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { PairingFailed, relayUrl, runBrowser } from '../../src/browser/headless.ts'
import { SHELL_LIMITS } from '../../src/browser/headless-shell.ts'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { relayService, SESSION } from '../support/relay-service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('the headless browser')

/** The register route of a service, for one pairing token. */
async function registerRoute(relayPort: number) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const good = request.url === '/v1/browser-sessions/register' && JSON.parse(body).pairing_token === 'svc_pair_good'
      response.writeHead(good ? 201 : 401, { 'content-type': 'application/json' })
      const session = {
        browser_session_id: SESSION,
        session_token: 'svc_sess_given',
        workspace_id: 'w',
        relay_port: relayPort,
      }
      response.end(JSON.stringify(good ? session : { error: 'Invalid pairing token' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const failureOf = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('It did not fail')
}
const log = (): void => {}

/** Why there is no browser here, or `null`. */
const missing = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).then(
  async (browser) => {
    await browser.close()
    return null
  },
  (error: unknown) => {
    if (error instanceof NoBrowser) return error.message
    throw error
  },
)
let skipped = 0
const withBrowser = (name: string, body: () => Promise<void>): void => {
  if (missing === null) test(name, body)
  else skipped += 1
}

test('[Q5] the address of the relay', async () => {
  assert.is(relayUrl('http://127.0.0.1:3456', 7862), 'ws://127.0.0.1:7862/')
  assert.is(relayUrl('http://[::1]:3456/', 7), 'ws://[::1]:7/')
  assert.is(relayUrl('https://tasks.example.com', 7862), 'wss://tasks.example.com/relay')
})

test('[Q5] a browser that does not exist is named', async () => {
  const error = await failureOf(startBrowser({ headed: false, executablePath: '/does/not/exist' }))
  assert.instance(error, NoBrowser)
  assert.is(error.message, 'CHROME_PATH: there is no file /does/not/exist.')
})

test('[Q5] a file that is no browser is named', async () => {
  const error = await failureOf(startBrowser({ headed: false, executablePath: '/bin/false' }))
  assert.instance(error, NoBrowser)
  assert.match(error.message, /^\/bin\/false did not start: /)
  assert.not.match(error.message, /\n/)
})

test('[Q5] a browser that a container allows no sandbox says what to do', async () => {
  const executablePath = join(tempFolder(), 'chromium')
  writeFileSync(executablePath, '#!/bin/sh\necho "[1:1:FATAL] No usable sandbox! Update your kernel" >&2\nexit 1\n')
  chmodSync(executablePath, 0o755)
  const error = await failureOf(startBrowser({ headed: false, executablePath }))
  assert.instance(error, NoBrowser)
  assert.match(error.message, /did not start: its sandbox needs user namespaces\. In a container, allow them/)
})

withBrowser('[Q5] pairs, runs calls in a real browser, and closes the tab when the task ends', async () => {
  const relay = await relayService()
  const service = await registerRoute(relay.port)
  const pages = await servePages()
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken: 'svc_pair_good', log })
  try {
    assert.is(browser.sessionId, SESSION)
    assert.is(browser.sessionToken, 'svc_sess_given')
    const socket = await relay.connection(0)
    assert.is(socket.register.session_token, 'svc_sess_given')
    socket.asks('one', 'a', { url: `${pages.origin}/first` })
    await eventually(() => socket.results().length === 1, 'the page', 20_000)
    const result = socket.results()[0]
    assert.match(
      String(result?.content),
      /^Page "First" \(http:\/\/127\.0\.0\.1:\d+\/first\)\n[\s\S]*link "Home" \[e1\]/,
    )
    assert.is(result?.url, `${pages.origin}/first`)
    assert.equal(Object.keys(result?.tabContext ?? {}), ['tabId', 'windowId', 'browserSessionId'])
    socket.asks('two', 'a', { url: 'file:///etc/passwd' })
    await eventually(() => socket.results().length === 2, 'the refusal')
    assert.match(String(socket.results()[1]?.error), /Only http and https pages can\.$/)
    socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId: 'a', answer: 'x', status: 'complete' })
    socket.asks('three', 'b', { url: `${pages.origin}/second` })
    await eventually(() => socket.results().length === 3, 'the other task', 20_000)
    assert.match(String(socket.results()[2]?.content), /^Page "Second"/)
  } finally {
    await browser.close()
    assert.is((await browser.closed).why, 'closed')
    await Promise.all([relay.close(), service.close(), pages.close()])
  }
})

withBrowser(
  '[Q10] the browser gets no secret of the environment, and as root it is said that it has no sandbox',
  async () => {
    process.env.SECRET_OF_THE_TEST = 'svc_live_secret'
    const relay = await relayService()
    const service = await registerRoute(relay.port)
    const lines: string[] = []
    const browser = await runBrowser({
      serviceUrl: service.url,
      pairingToken: 'svc_pair_good',
      log: (line) => lines.push(line),
    })
    try {
      const environments = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
          try {
            const isOurs =
              readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] === `${process.pid}`
            return isOurs ? [readFileSync(`/proc/${pid}/environ`, 'utf8')] : []
          } catch {
            return []
          }
        })
      assert.ok(environments.some((text) => text.includes('PATH=')))
      for (const text of environments) assert.not.match(text, /SECRET_OF_THE_TEST/)
      assert.is(
        lines.some((line) => line.startsWith('Warning: as root')),
        process.getuid?.() === 0,
      )
      // [G36] The bundled one says at its start what it cannot do.
      const isNamed = lines.some(
        (line) => line.startsWith('bundled Chromium') || isBundled(line.split(' is running.')[0] ?? ''),
      )
      assert.is(lines.includes(SHELL_LIMITS), isNamed)
    } finally {
      delete process.env.SECRET_OF_THE_TEST
      await browser.close()
      await Promise.all([relay.close(), service.close()])
    }
  },
)

withBrowser('[Q5] a wrong pairing token, and a service that is not there, are said in one line', async () => {
  const service = await registerRoute(1)
  const wrong = await failureOf(runBrowser({ serviceUrl: service.url, pairingToken: 'svc_pair_bad', log }))
  assert.instance(wrong, PairingFailed)
  assert.is(wrong.message, 'The pairing token is wrong, expired or already used. Create a new one.')
  await service.close()
  const nobody = await failureOf(runBrowser({ serviceUrl: service.url, pairingToken: 'svc_pair_good', log }))
  assert.is(nobody.message, `No service answers at ${service.url}.`)
})

withBrowser('[R6] a browser whose session is taken over ends, with a window', async () => {
  const relay = await relayService()
  const service = await registerRoute(relay.port)
  const lines: string[] = []
  const browser = await runBrowser({
    serviceUrl: service.url,
    pairingToken: 'svc_pair_good',
    log: (line) => lines.push(line),
  })
  const socket = await relay.connection(0)
  socket.close(4409)
  assert.is((await browser.closed).why, 'replaced')
  assert.is(lines.at(-1), 'Another browser took over this session. This one stops.')
  await Promise.all([relay.close(), service.close()])
})

if (missing !== null) console.log(`SKIPPED ${skipped} ${missing}`)
test.run()
