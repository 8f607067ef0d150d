import { pythonPackage } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, below, press, printed, serve } from './app.ts'

const ASK = `import json, sys, glob
print(json.dumps(sorted(json.load(open(file)).get("D:displayname") for file in glob.glob(sys.argv[1] + "/data/**/.Radicale.props", recursive=True))))`

/** Calendars and address books: a sign-in without a page of its own, forms that replace each other. */
export const RADICALE: App = {
  name: 'radicale',
  async start() {
    const packages = await pythonPackage('radicale', '3.9.0')
    const { folder, port, close } = await serve(
      (at, free) => ({
        file: 'sh',
        args: [
          '-c',
          `printf 'ada:tea4two\\n' > users && exec python3 -m radicale -H 127.0.0.1:${free} --storage-filesystem-folder '${at}/data' --auth-type htpasswd --auth-htpasswd-filename '${at}/users' --auth-htpasswd-encryption plain`,
        ],
        env: { PYTHONPATH: packages },
      }),
      (free) => `http://127.0.0.1:${free}/.web/`,
    )
    return {
      url: `http://127.0.0.1:${port}/.web/`,
      ask: async () => JSON.parse(await printed('python3', ['-c', ASK, folder])),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function signedIn(s: Hands, url: string): Promise<string> {
  const page = await s.open(url)
  if (!/heading "Sign in"/.test(page)) return page
  await s.fill(await s.ref(/textbox "Username"/, page), 'ada')
  await s.fill(await s.ref(/textbox "Password"/, page), 'tea4two')
  return press(s, /button "Next"/, page)
}

const TASKS: readonly AppTask[] = [
  {
    name: 'calendar-no-name',
    about: 'a sign-in without a name',
    async solve(s, url, hears) {
      const page = await s.open(url)
      const field = await s.ref(/textbox "Username"/, page)
      await s.fill(field, 'ada')
      hears('field error', await s.fill(field, ''), /Username is empty/)
    },
  },
  {
    name: 'calendar-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      const page = await s.open(url)
      await s.fill(await s.ref(/textbox "Username"/, page), 'ada')
      await s.fill(await s.ref(/textbox "Password"/, page), 'coffee')
      hears('refused', await press(s, /button "Next"/, page), /[Uu]nauthorized|[Ii]ncorrect|401|[Ww]rong/)
    },
  },
  {
    name: 'calendar-create',
    about: 'a collection is made by a form that takes the place of the list',
    async solve(s, url) {
      const list = await signedIn(s, url)
      const form = await press(s, /link .*Create a new/, list)
      await s.fill(below(form, /text "Title:"/), 'Tastings')
      must(await press(s, /button "Create"/, form), /Tastings/)
    },
    done: ['', ['Tastings']],
  },
]
