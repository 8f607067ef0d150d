import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { extensionSuite } from './browser.ts'
import { call, modelOf, refIn, resultsOf } from './playing.ts'
import { ended, openScene, pair, start } from './scene.ts'

const CSV = 'tea,price\nSencha,12\nGyokuro,31\n'

/** Sent in parts, so that its length is in no header. */
function chunked(response: ServerResponse, type: string, text: string = CSV): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' })
  for (const line of text.split(/(?<=\n)/)) response.write(line)
  response.end()
}

const PATHS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/csv': (response) => chunked(response, 'text/csv'),
  '/text': (response) => chunked(response, 'text/plain'),
  '/html': (response) => chunked(response, 'text/html'),
  '/to-csv': (response) => response.writeHead(302, { location: '/csv' }).end(),
  '/empty': (response) => response.writeHead(200, { 'content-type': 'text/csv', 'content-length': 0 }).end(),
  '/empty-chunked': (response) => chunked(response, 'text/csv', ''),
}

const link = (href: string) => `<a download="it.csv" href="${href}">Get it</a>`
const script = (body: string) => `<button onclick="${body.replaceAll('"', '&quot;')}">Get it</button>`
const BYTES = JSON.stringify(CSV)
const PRESSED = (url: string) =>
  `Object.assign(document.createElement('a'), { href: ${url}, download: 'it.csv' }).click()`

/** What is pressed (a key starts no more than ten tasks a minute), and the text of the file. */
const WAYS: Readonly<Record<string, readonly [html: string, text: string]>> = {
  'a link to a chunked CSV': [link('/csv'), CSV],
  'a link to a chunked text, which a browser would show': [link('/text'), CSV],
  'a link to a chunked page': [link('/html'), CSV],
  'a link that is redirected': [link('/to-csv'), CSV],
  'a link to 0 bytes': [link('/empty'), ''],
  'a link to 0 chunked bytes': [link('/empty-chunked'), ''],
  'a script that presses a link': [script(PRESSED(`'/csv'`)), CSV],
  'a script with a blob that it lets go of': [
    script(
      `const url = window.URL.createObjectURL(new Blob([${BYTES}])); ${PRESSED('url')}; setTimeout(() => window.URL.revokeObjectURL(url), 1000)`,
    ),
    CSV,
  ],
  'a data: address': [link(`data:text/csv,${encodeURIComponent(CSV)}`), CSV],
  'a navigation that becomes a download': ['<a href="/csv">Get it</a>', CSV],
}

const names = Object.keys(WAYS)

const test = extensionSuite(
  'downloads of pages',
  async () => {
    const site = createServer(({ url = '' }, response) => {
      const way = url.startsWith('/way/') ? WAYS[names[Number(url.slice('/way/'.length))] ?? ''] : undefined
      if (way) response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Way</title><main>${way[0]}</main>`)
      else (PATHS[url] ?? ((other) => other.writeHead(404).end()))(response)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const model = modelOf((turn, messages) => {
      const url = /http:\S+\/way\/\d+/.exec(JSON.stringify(messages[0]))?.[0].replace(/\\.*/, '')
      if (turn === 0) return call('navigate', { url })
      if (turn === 1) return call('read_page')
      if (turn === 2) return call('computer', { action: 'left_click', ref: refIn(messages, /Get it/) })
      const name = /File: \\?"([^"\\]+)/.exec(JSON.stringify(messages))?.[1]
      if (name === undefined && turn < 8) return call('computer', { action: 'wait', duration: 0.5 + turn / 100 })
      if (resultsOf(messages).at(-1)?.tool !== 'files' && name) return call('files', { action: 'read', name })
      return { answer: resultsOf(messages).at(-1)?.text ?? '' }
    })
    const scene = await openScene(model)
    return { scene, session: await pair(scene), origin, site }
  },
  ({ scene, site }) => Promise.all([scene.close(), site.close()]),
)

for (const [at, name] of names.entries()) {
  test(`[U5] what is downloaded is kept: ${name}`, async ({ scene: { api }, session, origin }) => {
    const id = await start(api, session, `Get it from ${origin}/way/${at}`)
    const { answer } = await ended(api, id)
    const { files } = (await api.get(`/v1/tasks/${id}/files`)).json
    assert.is(files.length, 1, answer ?? '')
    assert.is(files[0].size, Buffer.byteLength(WAYS[name]?.[1] ?? ''), answer ?? '')
    assert.match(answer ?? '', WAYS[name]?.[1] ? 'Gyokuro' : '')
  })
}

test.run()
