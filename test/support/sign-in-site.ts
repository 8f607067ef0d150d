import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site with a password, a one-time code and a cookie that signs in: what a person does by hand, and no task can. */
export interface SignInSite {
  /** Without a slash at the end. */
  readonly origin: string
  readonly password: string
  /** The code that it has sent to the person; `null`: it has not asked for one. */
  readonly code: string | null
  /** The page that the browser shows, once it takes clicks and keys; `null`: none yet. */
  readonly shown: 'password' | 'code' | 'welcome' | null
  close(): Promise<void>
}

const FORM = (field: string, action: string) =>
  `<!doctype html><title>Sign in</title><style>* { font-size: 40px } input, button { display: block; width: 90vw; height: 20vh; margin: 5vh auto }</style>
  <form method="post" action="${action}"><input name="${field}" aria-label="${field}" autofocus><button>Go on</button></form>${SHOWN(field)}`
const SHOWN = (page: string) => `<script>fetch('/shown?page=${page}')</script>`

export async function openSignInSite(marks: readonly [cookie: string, storage: string]): Promise<SignInSite> {
  const [cookie, storage] = marks
  const password = 'pass Wört 1!'
  let code: string | null = null
  let shown: SignInSite['shown'] = null
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const html = (body: string, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers })
        .end(body)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const isSignedIn = (request.headers.cookie ?? '').includes(`session=${cookie}`)
    if (pathname === '/shown') {
      shown = searchParams.get('page') as SignInSite['shown']
      return response.writeHead(204).end()
    }
    if (pathname === '/login' && request.method === 'GET') return html(FORM('password', '/login'))
    if (pathname === '/login') {
      if (form.get('password') !== password) return html(FORM('password', '/login'))
      code = String(Math.floor(100_000 + Math.random() * 900_000))
      return html(FORM('code', '/code'))
    }
    if (pathname === '/code' && code !== null && form.get('code') === code) {
      const header = { 'set-cookie': `session=${cookie}; HttpOnly; Max-Age=9999; Path=/` }
      return html(
        `<title>Welcome</title><p>Welcome</p><script>localStorage.setItem('token', ${JSON.stringify(storage)})</script>${SHOWN('welcome')}`,
        header,
      )
    }
    if (!isSignedIn) return response.writeHead(302, { location: '/login' }).end()
    html(
      `<title>Account</title><p>Signed in as Ann, <span id="storage"></span></p><script>
      document.querySelector('#storage').textContent = localStorage.getItem('token') === ${JSON.stringify(storage)} ? 'with storage' : 'without storage'</script>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    password,
    get code() {
      return code
    },
    get shown() {
      return shown
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
