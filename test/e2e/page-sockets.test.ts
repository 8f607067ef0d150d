import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { startBrowser } from '../../src/browser/chromium.ts'
import { serviceReach } from '../../src/browser/own-service.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { servePages } from '../support/pages.ts'
import { openService, type TestService } from '../support/service.ts'

const test = suiteWithBrowser('sockets of pages, with the running service')

/** Each way a page has to open a socket: in itself, in a frame without an origin, in a worker. */
const OPENERS = [
  (url: string) => `open(${JSON.stringify(url)}, (heard) => resolve(heard))`,
  (url: string) =>
    `addEventListener('message', ({ data }) => resolve(data)); const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts'; ` +
    `frame.srcdoc = '<script>const open = ' + open + '; open(${JSON.stringify(url)}, (heard) => parent.postMessage(heard, "*"))<' + '/script>'; document.body.append(frame)`,
  (url: string) =>
    `const worker = new Worker(URL.createObjectURL(new Blob(['const open = ' + open + '; open(${JSON.stringify(url)}, (heard) => postMessage(heard))']))); ` +
    `worker.onmessage = ({ data }) => resolve(data)`,
]
const OPEN = `const open = (url, tell) => {
  const socket = new WebSocket(url)
  socket.onopen = () => socket.send(JSON.stringify({ type: 'register', role: 'extension', session_token: 'x' }))
  socket.onmessage = ({ data }) => tell('answered ' + data)
  socket.onerror = () => tell('refused')
}`

const addressesOf = ({ url, relayPort }: TestService) => {
  const { port } = new URL(url)
  return ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'].flatMap((host) => [
    `ws://${host}:${relayPort}/`,
    `ws://${host}:${port}/relay`,
  ])
}

for (const transport of ['uws', 'node'])
  test(`[S24] the page of a task, its frames and workers get no answer of the relay on either port (${transport})`, async () => {
    const [service, pages] = await Promise.all([
      openService({ env: { TRANSPORT: transport, LLM_PROVIDER: 'scripted' } }),
      servePages(),
    ])
    const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
    try {
      await browser.guard(serviceReach([service.url], [service.relayPort]))
      const tabs = new Tabs(browser)
      const task = randomUUID()
      const run = async (tool: string, input: Record<string, unknown>) =>
        (await tabs.execute(task, tool, input, new AbortController().signal)).content
      await run('navigate', { url: `${pages.origin}/first` })
      for (const url of addressesOf(service)) {
        for (const opener of OPENERS) {
          const text = `new Promise((resolve) => { ${OPEN}; ${opener(url)} })`
          const heard = await run('javascript_tool', { action: 'javascript_exec', text, look: 'none' })
          assert.match(heard, /refused/, `${url} by ${opener}`)
        }
      }
      await tabs.endAll()
    } finally {
      await browser.close()
      await Promise.all([service.stop(), pages.close()])
    }
  })

test('[S24] an extension and a program are let in, and no page by the name of one', async () => {
  const service = await openService({ env: { LLM_PROVIDER: 'scripted' } })
  const statusOf = (origin: string | undefined, url: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(url, origin === undefined ? {} : { origin })
      socket.on('open', () => {
        socket.terminate()
        resolve(101)
      })
      socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode))
      socket.on('error', () => {})
    })
  try {
    for (const url of addressesOf(service).slice(0, 2)) {
      for (const origin of [
        undefined,
        'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
        'moz-extension://0b5c7a60-1111-4222-8333-944455556666',
      ])
        assert.is(await statusOf(origin, url), 101, `${origin}`)
      for (const origin of [
        'null',
        'https://shop.example',
        service.url,
        'file://',
        'https://chrome-extension://abc',
        'chrome-extension://a, https://shop.example',
      ])
        assert.is(await statusOf(origin, url), 403, origin)
    }
  } finally {
    await service.stop()
  }
})

await test.run()
