import { join } from 'node:path'
import { cached, pythonPackage } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, printed, rowsOf, serve } from './app.ts'

const VERSION = '8.0.1'
const USER =
  "from django.contrib.auth.models import User; User.objects.create_superuser('ada', 'ada@example.com', 'tea4two-please')"

/** A site as its own command makes it, with its tables, which take a minute. */
const site = (packages: string): Promise<string> =>
  cached(`wagtail-${VERSION}-site`, async (folder) => {
    const options = { cwd: folder, env: { PYTHONPATH: packages } }
    await printed('python3', [join(packages, 'bin', 'wagtail'), 'start', 'teashop', '.'], options)
    await printed('python3', ['manage.py', 'migrate', '-v', '0'], options)
    await printed('python3', ['manage.py', 'shell', '-v', '0', '-c', USER], options)
  })

/** Wagtail: pages in a tree, long forms with panels, messages that slide in. */
export const WAGTAIL: App = {
  name: 'wagtail',
  async start() {
    const packages = await pythonPackage('wagtail', VERSION)
    const from = await site(packages)
    const { folder, port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: ['-c', `cp -r '${from}/.' . && exec python3 manage.py runserver --noreload 127.0.0.1:${free}`],
        env: { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
      }),
      (free) => `http://127.0.0.1:${free}/admin/login/`,
    )
    return {
      url: `http://127.0.0.1:${port}/admin/`,
      ask: (question) => rowsOf(join(folder, 'db.sqlite3'), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function signIn(s: Hands, url: string, password = 'tea4two-please'): Promise<string> {
  const page = await s.open(url)
  if (!/textbox "Username/.test(page)) return page
  await s.fill(await s.ref(/textbox "Username/, page), 'ada')
  await s.fill(await s.ref(/textbox "Password/, page), password)
  return press(s, /button "Sign in"/, page)
}

const TASKS: readonly AppTask[] = [
  {
    name: 'wagtail-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'coffee'), /username and password didn.t match/)
    },
  },
  {
    name: 'wagtail-draft',
    about: 'a page is made and kept as a draft',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}pages/add/home/homepage/3/`)
      await s.fill(await s.ref(/textbox "(Title|Page title)/, form), 'Green tea')
      hears('saved', await press(s, /button "Save draft"/, form), /Page 'Green tea' created/)
    },
    done: ["SELECT live FROM wagtailcore_page WHERE title = 'Green tea'", [[0]]],
  },
  {
    name: 'wagtail-no-title',
    about: 'a form whose errors are told above it and beside the field',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}pages/add/home/homepage/3/`)
      const told = await press(s, /button "Save draft"/, form)
      hears('refused', told, /could not be created due to validation errors|could not be created due to errors/)
      hears('field error', told, /This field is required/)
    },
  },
  {
    name: 'wagtail-collection',
    about: 'a collection is added',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}collections/add/`)
      await s.fill(await s.ref(/textbox "Name/, form), 'Teapots')
      await s.fill(await s.ref(/combobox "Parent/, form), 'Root')
      hears('saved', await press(s, /button "(Create|Save|Add)/, form), /Collection 'Teapots' created/)
    },
    done: ["SELECT count(*) FROM wagtailcore_collection WHERE name = 'Teapots'", [[1]]],
  },
  {
    name: 'wagtail-redirect-twice',
    about: 'what is there already is refused',
    async solve(s, url, hears) {
      await signIn(s, url)
      const add = async () => {
        const form = await s.open(`${url}redirects/add/`)
        await s.fill(await s.ref(/textbox "Redirect from/, form), '/leaves')
        await s.fill(await s.ref(/textbox "Redirect to any URL|textbox "Target external/, form), 'https://example.com/')
        return press(s, /button "(Create|Save|Add)/, form)
      }
      hears('saved', await add(), /Redirect '\/leaves' (added|created)/)
      const again = await add()
      hears('refused', again, /could not be created due to errors/)
      hears('field error', again, /already in use|already exists/)
    },
    done: ["SELECT count(*) FROM wagtailredirects_redirect WHERE old_path = '/leaves'", [[1]]],
  },
  {
    name: 'wagtail-delete',
    about: 'a page is deleted, on a page that asks for it',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}pages/add/home/homepage/3/`)
      await s.fill(await s.ref(/textbox "(Title|Page title)/, form), 'Old leaves')
      const kept = await press(s, /button "Save draft"/, form)
      const [, id] = /\/pages\/(\d+)\//.exec(kept) ?? []
      const sure = await s.open(`${url}pages/${id}/delete/`)
      must(sure, /Are you sure/)
      hears('saved', await press(s, /button "Yes, delete/, sure), /Page 'Old leaves' deleted/)
    },
    done: ["SELECT count(*) FROM wagtailcore_page WHERE title = 'Old leaves'", [[0]]],
  },
]
