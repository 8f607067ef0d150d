import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Pages that ask for a password and a code, on the origin that may have them and on another one. */
export interface SignInPages {
  /** Without a slash at the end. */
  readonly own: string
  readonly foreign: string
  /** The domain of `own`. */
  readonly domain: string
  /** Everything that the pages of an origin were told: what was typed, as it was typed, and what was posted. */
  readonly told: { readonly own: string[]; readonly foreign: string[] }
  /** What counts as right. */
  accepts: { password: string; code: (given: string) => boolean }
  close(): Promise<void>
}

/** Tells its server of every value that a field gets, and every key. */
const WATCH = `<script>
  const tell = (what) => navigator.sendBeacon('/told', what)
  for (const type of ['input', 'beforeinput', 'change', 'keydown', 'keyup', 'paste']) {
    addEventListener(type, (event) => tell(type + ' ' + (event.target.value ?? '') + ' ' + (event.key ?? event.data ?? '')), true)
  }
</script>`
const FORM = `<form method="post" action="/sign-in">
  <label>User <input name="user"></label>
  <label>Password <input name="password" type="password"></label>
  <button>Sign in</button></form>`

/** Six boxes, each of which takes one digit and hands the focus on. */
const BOXES = `<form id="boxes" aria-label="Code">${'<input class="box" maxlength="1" inputmode="numeric" aria-label="Digit">'.repeat(6)}</form>
<output id="code"></output><script>
  const boxes = [...document.querySelectorAll('.box')]
  boxes.forEach((box, at) => box.addEventListener('input', () => {
    if (box.value !== '' && boxes[at + 1]) boxes[at + 1].focus()
    document.getElementById('code').textContent = boxes.every((each) => each.value) ? 'complete' : ''
  }))
</script>`

export async function openSignInPages(): Promise<SignInPages> {
  const told: { own: string[]; foreign: string[] } = { own: [], foreign: [] }
  const accepts = { password: '', code: (given: string) => given === '' }
  const origins = { own: '', foreign: '' }
  const pages = (who: 'own' | 'foreign'): Readonly<Record<string, () => string>> => ({
    '/': () => `<title>Sign in</title>${WATCH}<h1>Sign in</h1>${FORM}`,
    '/code': () => `<title>Code</title>${WATCH}<h1>Enter your code</h1>
      <form method="post" action="/code"><label>Code <input name="code" autocomplete="one-time-code"></label><button>Verify</button></form>`,
    '/boxes': () => `<title>Boxes</title>${BOXES}`,
    '/around': () =>
      `<title>Around</title><h1>Around</h1><iframe title="inside" src="${origins[who === 'own' ? 'foreign' : 'own']}/"></iframe>`,
    '/around-own': () => `<title>Around</title><h1>Around</h1><iframe title="inside" src="${origins[who]}/"></iframe>`,
    '/sandboxed': () =>
      `<title>Sandboxed</title><iframe title="inside" sandbox="allow-scripts allow-forms" src="/"></iframe>`,
    '/data': () =>
      `<title>Data</title><iframe title="inside" src="data:text/html,<label>Password <input type=password></label>"></iframe>`,
    // As soon as its field has the focus it is a page of the other origin.
    '/leaves': () =>
      `<title>Leaves</title><label>Password <input type="password" onfocus="location.href = '${origins[who === 'own' ? 'foreign' : 'own']}/'"></label>`,
    // Its field hands the focus on to a frame of the other origin.
    '/hands-on':
      () => `<title>Hands on</title><label>Password <input type="password" onfocus="document.querySelector('iframe').focus()"></label>
      <iframe title="inside" src="${origins[who === 'own' ? 'foreign' : 'own']}/focused"></iframe>`,
    '/focused': () =>
      `<title>Focused</title>${WATCH}<input id="it" type="password"><script>onfocus = () => it.focus()</script>`,
    '/shows': () =>
      `<title>Shows</title><h1>Your sign-in</h1><p id="shown"></p><label>Password <input type="password" oninput="shown.textContent = 'You typed ' + this.value + ', ' + encodeURIComponent(this.value) + ', ' + btoa(this.value)"></label>`,
  })
  const serve = async (who: 'own' | 'foreign') => {
    const server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?')[0] ?? '/'
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        if (body !== '' || request.url?.includes('?'))
          told[who].push(`${request.url} ${path === '/told' ? body : decodeURIComponent(body.replaceAll('+', ' '))}`)
        const fields = new URLSearchParams(body)
        if (request.method === 'POST' && path !== '/told') {
          const right =
            path === '/code' ? accepts.code(fields.get('code') ?? '') : fields.get('password') === accepts.password
          const next = path === '/code' ? '/welcome' : '/code'
          if (right) return void response.writeHead(303, { location: next }).end()
          return void response.writeHead(200, HTML).end(`<title>Wrong</title><h1>That was wrong</h1>`)
        }
        if (path === '/basic-away') return void response.writeHead(302, { location: `${origins.foreign}/basic` }).end()
        if (path === '/basic') {
          const given = request.headers.authorization
          if (given) told[who].push(`basic ${Buffer.from(given.replace('Basic ', ''), 'base64').toString()}`)
          const status = given ? 200 : 401
          const body = given
            ? `<title>In</title><h1>Signed in</h1><p id="at"></p><script>at.textContent = location.href</script>`
            : 'Sign in first'
          return void response.writeHead(status, { ...HTML, 'www-authenticate': 'Basic realm="shop"' }).end(body)
        }
        if (path === '/welcome')
          return void response.writeHead(200, HTML).end('<title>Welcome</title><h1>Welcome, Ada</h1>')
        const page = pages(who)[path]
        if (page) response.writeHead(200, HTML).end(page())
        else response.writeHead(path === '/told' ? 204 : 404).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A test file that is done need not wait for it.
    server.unref()
    const { port } = server.address() as AddressInfo
    return { server, port }
  }
  const [own, foreign] = await Promise.all([serve('own'), serve('foreign')])
  origins.own = `http://127.0.0.1:${own.port}`
  // Another site: what it shows is in a process of its own.
  origins.foreign = `http://localhost:${foreign.port}`
  return {
    ...origins,
    domain: `127.0.0.1:${own.port}`,
    told,
    accepts,
    close: () =>
      Promise.all(
        [own, foreign].map(({ server }) => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }),
      ).then(() => {}),
  }
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }
