import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pdf } from '../../src/demo/shop/pdf.ts'

/** The fixture pages on a loopback port, and some that misbehave. */
export interface Pages {
  /** Without a slash at the end. */
  readonly origin: string
  /** Paths in the order in which they were asked for. */
  readonly asked: readonly string[]
  /** A page of this HTML, or of another kind of document: its path. */
  make(text: string, how?: Made): string
  close(): Promise<void>
}

export interface Made {
  readonly type?: string
  readonly status?: number
}

const FOLDER = new URL('./fixtures/', import.meta.url)
const FILES = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.html'))
    .map((name) => [`/${name.replace(/\.html$/, '')}`, readFileSync(new URL(name, FOLDER), 'utf8')]),
)

/** How long `/slow` keeps its answer back. */
export const SLOW_PAGE_MS = 700

/** A table of so many rows. */
export const ROWS = 20_000

const PAGES: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
  '/slow': (response) => setTimeout(() => html(response, '<title>Slow</title><h1>Here at last</h1>'), SLOW_PAGE_MS),
  // The document comes, its image never does: the load event never fires.
  '/never-loads': (response) =>
    html(response, '<title>Never</title><h1>Readable</h1><button>Usable</button><img src="/silent" alt="never">'),
  '/never-ends': (response) =>
    html(response, '<title>Never</title><h1>Readable</h1><script async src="/silent"></script>'),
  '/silent': () => {},
  '/redirect': (response) => response.writeHead(302, { location: '/second' }).end(),
  '/empty-answer': (response) => response.writeHead(204).end(),
  '/download': (response) =>
    response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('zip'),
  '/to-download': (response) => response.writeHead(302, { location: '/download' }).end(),
  '/slow-download': (response) =>
    setTimeout(() => response.writeHead(302, { location: '/download' }).end(), SLOW_PAGE_MS),
  '/to-invoice': (response) => response.writeHead(302, { location: '/invoice.pdf' }).end(),
  '/invoice.pdf': (response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf(['Invoice 117', 'Total 113.00'])),
  '/invoice-download': (response) =>
    response
      .writeHead(200, {
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename="invoice.pdf"',
      })
      .end(pdf(['Invoice 118'])),
  '/rows': (response) =>
    html(
      response,
      `<title>Rows</title><h1>Rows</h1><table><tbody id="rows"></tbody></table><script>
       let text = ''
       for (let n = 0; n < ${ROWS}; n += 1) {
         text += '<tr><td>' + n + '</td><td>Name ' + n + '</td><td></td><td><button>Edit</button></td></tr>'
       }
       document.getElementById('rows').innerHTML = text</script>`,
    ),
  // As an application of administrators has it: navigation, a message, a long list.
  '/orders': (response, request) => {
    const links = Array.from({ length: 60 }, (_, n) => `<li><a href="/orders?section=${n}">Section ${n}</a></li>`)
    const rows = Array.from(
      { length: 250 },
      (_, n) => `<tr><td><a href="/orders?saved=${n}">Order ${n}</a></td><td>Customer ${n}</td><td>${n}.00</td></tr>`,
    )
    const saved = /saved=(\d+)/.exec(request.url ?? '')?.[1]
    const message = saved ? `<ul><li>The order ${saved} was changed successfully.</li></ul>` : ''
    html(
      response,
      `<title>Orders</title><nav aria-label="Sections"><ul>${links.join('')}</ul></nav><div>${message}</div>
       <h1>Select order to change</h1><form><label>Amount <input required aria-invalid="${saved ? 'true' : 'false'}"></label></form>
       <table><thead><tr><th>Order</th><th>Customer</th><th>Amount</th></tr></thead>${rows.join('')}</table>
       <div role="status">${saved ? '1 order saved' : ''}</div><footer>Administration</footer>`,
    )
  },
  '/drawn-late': (response) =>
    html(
      response,
      `<title>Drawn late</title><div id="app"></div>
       <script>setTimeout(() => { document.getElementById('app').innerHTML = '<h1>Drawn</h1>' }, 150)</script>`,
    ),
}

/** Serves the fixtures on a free loopback port. */
export async function servePages(): Promise<Pages> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const made: (Made & { readonly text: string })[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    asked.push(path)
    const page = PAGES[path]
    const file = FILES.get(path)
    const [, status] = /^\/status\/(\d+)$/.exec(path) ?? []
    const own = made[Number(/^\/made\/(\d+)$/.exec(path)?.[1] ?? -1)]
    if (own) {
      const { text, type = 'text/html; charset=utf-8', status = 200 } = own
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
    } else if (status) response.writeHead(Number(status)).end()
    else if (page) page(response, request)
    else if (file !== undefined) html(response, file.replaceAll('{{PORT}}', String(request.socket.localPort)))
    else response.writeHead(404).end()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    make: (text, how = {}) => `/made/${made.push({ ...how, text }) - 1}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const html = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(text)
}
