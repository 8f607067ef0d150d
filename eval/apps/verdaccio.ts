import { join } from 'node:path'
import { npmPackage } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, serve } from './app.ts'

const SETTINGS = `storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
packages: { '**': { access: $all, publish: $authenticated } }
web: { enable: true, title: Tea packages }
log: { type: stdout, level: warn }
`

/** A registry of packages in React: windows over the page, buttons that appear when something is typed. */
export const VERDACCIO: App = {
  name: 'verdaccio',
  async start() {
    const program = join(await npmPackage('verdaccio', '6.8.0', { 'node-fetch': '2.7.0' }), 'bin', 'verdaccio')
    const { port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: ['-c', `printf %s "$SETTINGS" > c.yaml && exec node '${program}' -c c.yaml -l 127.0.0.1:${free}`],
        env: { SETTINGS },
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    const url = `http://127.0.0.1:${port}/`
    await register(url)
    return { url, ask: async () => null, close }
  },
  get tasks() {
    return TASKS
  },
}

async function register(url: string): Promise<void> {
  const answer = await fetch(`${url}-/user/org.couchdb.user:ada`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', password: 'tea4two' }),
  })
  if (!answer.ok) throw new Error(`Verdaccio: ${await answer.text()}`)
}

async function signIn(s: Hands, url: string, name: string, password: string): Promise<string> {
  const form = await press(s, /button "Log ?in"/i, await s.open(url))
  const typed = await s.fill(await s.ref(/textbox "[^"]*[Uu]sername/, form), name)
  const ready = await s.fill(await s.ref(/textbox "[^"]*[Pp]assword/, form), password)
  const login = /dialog[\s\S]*?(button "Log ?in"[^\n]*)/i
  const line = [ready, typed, form, await s.look()].map((told) => login.exec(told)?.[1]).find(Boolean) ?? ''
  return s.click(await s.ref(/./, line))
}

const TASKS: readonly AppTask[] = [
  {
    name: 'verdaccio-wrong-password',
    about: 'a sign-in in a window is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'ada', 'coffee'), /Invalid username or password/)
    },
  },
  {
    name: 'verdaccio-sign-in',
    about: 'a sign-in in a window',
    async solve(s, url) {
      await signIn(s, url, 'ada', 'tea4two')
      must(await s.look(), /account|logInDialogIcon/i)
    },
  },
  {
    name: 'verdaccio-search',
    about: 'a search that finds nothing',
    async solve(s, url, hears) {
      const page = await s.open(url)
      const told = await s.type('oolong', await s.ref(/(textbox|combobox|searchbox) "[^"]*[Ss]earch/, page))
      hears('alert', told, /No results|no results/)
    },
  },
]
