import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { extensionSuite } from '../extension/browser.ts'
import { call, modelOf, type Next, resultsOf } from '../extension/playing.ts'
import { ended, openScene, pair, start } from '../extension/scene.ts'

let play: (turn: number, results: ReturnType<typeof resultsOf>) => Next = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'the service is out of reach of the tasks of the extension',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, resultsOf(messages))))
    return { scene, session: await pair(scene) }
  },
  ({ scene }) => scene.close(),
)

const script = (text: string): Next => call('javascript_tool', { action: 'javascript_exec', text })

test('[S13] no address, redirect, frame, window or script of a page reaches the service that is paired', async ({
  scene,
  session,
}) => {
  const { service } = scene
  const own = (host: string, path = '/') => `http://${host}:${service.httpPort}${path}`
  const pages = createServer((request, response) => {
    if (request.url === '/redirect') return response.writeHead(302, { location: own('localhost', '/docs') }).end()
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      request.url === '/frames'
        ? `<title>Frames</title><p>Shop</p><iframe src="${own('127.0.0.1', '/docs')}"></iframe><iframe src="${own('localhost', '/docs')}"></iframe>`
        : '<title>Shop</title><p>Shop</p>',
    )
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  const shop = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  let read: string[] = []
  play = (turn, results) => {
    read = results.map(({ text }) => text)
    const steps = [
      ...['127.0.0.1', 'localhost', 'localhost.', '0.0.0.0', '[::ffff:127.0.0.1]'].map((host) =>
        call('navigate', { url: own(host, '/dashboard/keys') }),
      ),
      call('navigate', { url: `http://127.0.0.1:${service.relayPort}/` }),
      call('navigate', { url: `${shop}/redirect` }),
      call('navigate', { url: `${shop}/frames` }),
      script(
        `fetch('${own('127.0.0.1', '/v1/health')}', {mode: 'no-cors'}).then(() => 'reached', () => 'not reached')`,
      ),
      script(`location.href = '${own('127.0.0.1', '/docs')}'; new Promise((resolve) => setTimeout(resolve, 1500))`),
      call('get_page_text'),
      call('navigate', { url: shop }),
      script(`window.open('${own('localhost', '/docs')}'); new Promise((resolve) => setTimeout(resolve, 1500))`),
      call('get_page_text'),
    ]
    return steps[turn] ?? { answer: 'Refused.' }
  }
  const asked: string[] = []
  scene.browser.context.on('response', (response) => {
    if (new URL(response.url()).port === String(service.httpPort)) asked.push(response.url())
  })
  try {
    const id = await start(scene.api, session, 'Use the dashboard')
    await ended(scene.api, id)
    for (const text of read.slice(0, 6)) assert.match(text, /^Error: Tasks may not open the service that runs them/)
    assert.match(read[6] ?? '', /^Error: .*tasks may not open/i)
    assert.match(read[7] ?? '', /Frames/)
    assert.match(read[8] ?? '', /not reached/)
    for (const text of read) assert.not.match(text, /Quick start/i)
    assert.match(read[11] ?? '', /Page "Shop"/)
    assert.not.match(read[13] ?? '', /Browser Task Service/)
    assert.equal(asked, [])
  } finally {
    pages.closeAllConnections()
    pages.close()
  }
})

await test.run()
