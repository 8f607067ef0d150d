import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A site that a visitor leaves something at in every way that a browser has, and that looks for what any visitor has left.
 * What it finds of whom is text on the page, for the task that looks, and never comes by way of the site's server.
 */
export interface TracesSite {
  /** Without a slash at the end. */
  readonly origin: string
  close(): Promise<void>
}

const SCRIPT = `
const by = new URL(location.href).searchParams.get('by')
const within = (ms, promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, null))])
const opened = () => new Promise((resolve, reject) => {
  const request = indexedDB.open('left', 1)
  request.onupgradeneeded = () => request.result.createObjectStore('all')
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})
const WAYS = {
  download: {
    leave: () => Object.assign(document.createElement('a'), { href: '/download?by=' + by, download: 'left-' + by + '.txt' }).click(),
    find: () => '',
  },
  cookie: {
    leave: () => { document.cookie = 'left=' + by + '; max-age=9999' },
    find: () => document.cookie,
  },
  httpOnlyCookie: { leave: () => fetch('/cookie?by=' + by), find: async () => (await fetch('/cookie')).text() },
  localStorage: { leave: () => localStorage.setItem('left', by), find: () => localStorage.getItem('left') },
  sessionStorage: { leave: () => sessionStorage.setItem('left', by), find: () => sessionStorage.getItem('left') },
  indexedDB: {
    leave: async () => done((await opened()).transaction('all', 'readwrite').objectStore('all').put(by, 'left')),
    find: async () => done((await opened()).transaction('all').objectStore('all').get('left')),
  },
  caches: {
    leave: async () => (await caches.open('left')).put('/left', new Response(by)),
    find: async () => (await (await caches.match('/left'))?.text()),
  },
  httpCache: {
    leave: async () => (await fetch('/cached?by=' + by, { cache: 'reload' })).text(),
    find: async () => {
      const all = await Promise.all(Array.from({ length: 40 }, (_, n) =>
        fetch('/cached?by=' + n, { cache: 'only-if-cached', mode: 'same-origin' }).then((answer) => answer.ok ? answer.text() : '', () => '')))
      return all.join('')
    },
  },
  serviceWorker: {
    leave: async () => { await navigator.serviceWorker.register('/worker.js?by=' + by); await navigator.serviceWorker.ready },
    find: async () => (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL).join(' '),
  },
  windowName: { leave: () => { window.name = by }, find: () => window.name },
  history: { leave: () => history.pushState(by, '', location.href + '&more'), find: () => (history.length > 2 ? 'length ' + history.length : history.state) },
  broadcast: {
    leave: () => { const channel = new BroadcastChannel('left'); channel.onmessage = ({ data }) => data === 'who' && channel.postMessage(by) },
    find: () => new Promise((resolve) => {
      const channel = new BroadcastChannel('left')
      channel.onmessage = ({ data }) => data !== 'who' && resolve(data)
      channel.postMessage('who')
      setTimeout(resolve, 300, '')
    }),
  },
  sharedWorker: {
    leave: () => new Promise((resolve) => { const { port } = new SharedWorker('/shared.js'); port.onmessage = resolve; port.postMessage(by) }),
    find: () => new Promise((resolve) => { const { port } = new SharedWorker('/shared.js'); port.onmessage = ({ data }) => resolve(data); port.postMessage(null) }),
  },
  namedWindow: { leave: () => {}, find: () => { const other = window.open('', 'left'); const was = other?.location.href; other?.close(); return was === 'about:blank' ? '' : was } },
  opener: { leave: () => {}, find: () => (window.opener ? 'has an opener' : '') },
  clipboard: {
    leave: () => {
      document.querySelector('input').value = by
      document.querySelector('input').select()
      document.execCommand('copy')
    },
    find: () => within(300, navigator.clipboard.readText()),
  },
}
document.querySelector('button').onclick = async () => {
  const does = location.pathname.slice(1)
  const found = []
  for (const [name, way] of Object.entries(WAYS)) {
    const value = await within(20_000, Promise.resolve().then(way[does])).catch(() => '')
    if (does === 'find' && value) found.push(name + '=' + value)
  }
  document.querySelector('output').textContent = does === 'find' ? 'Found: ' + (found.join(', ') || 'nothing') : 'Left by ' + by
}
`
/** In the order of the script: what a task finds of itself, and of nobody else. */
export const FOUND_BY_ITSELF = [
  ...['cookie', 'httpOnlyCookie', 'localStorage', 'sessionStorage', 'indexedDB', 'caches', 'httpCache'],
  ...['serviceWorker', 'windowName'],
]

export async function openTraces(): Promise<TracesSite> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const answer = (type: string, body: string, more = {}) =>
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', ...more }).end(body)
    const by = searchParams.get('by')
    if (pathname === '/cookie')
      return answer('text/plain', by === null ? (/hidden=\w+/.exec(request.headers.cookie ?? '')?.[0] ?? '') : '', {
        ...(by === null ? {} : { 'set-cookie': `hidden=${by}; HttpOnly; Max-Age=9999` }),
      })
    if (pathname === '/cached') return answer('text/plain', `cached${by};`, { 'cache-control': 'max-age=9999' })
    if (pathname === '/download') return answer('text/plain', `by ${by}`, { 'content-disposition': 'attachment' })
    if (pathname === '/worker.js') return answer('text/javascript', 'self.onfetch = () => {}')
    if (pathname === '/shared.js')
      return answer(
        'text/javascript',
        'let left = ""; onconnect = ({ ports: [port] }) => { port.onmessage = ({ data }) => { if (data) left = data; port.postMessage(left) } }',
      )
    answer(
      'text/html',
      `<!doctype html><title>Traces</title><button>Go on</button><input aria-label="Copied"><output></output><script>${SCRIPT}</script>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
