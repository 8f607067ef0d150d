import { join } from 'node:path'
import { pythonPackage, ROOT } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, below, press, rowsOf, serve } from './app.ts'

const SERVE = join(ROOT, 'eval', 'apps', 'roundup', 'serve.py')

/** An issue tracker without scripts: forms of tables whose fields have no labels, a coloured line of what was done. */
export const ROUNDUP: App = {
  name: 'roundup',
  async start() {
    const packages = await pythonPackage('roundup', '2.6.0')
    const admin = `python3 '${join(packages, 'bin', 'roundup-admin')}' -i tracker`
    const { folder, port, close } = await serve(
      (_, free) => {
        const settings = `tracker_web=http://127.0.0.1:${free}/tea/,mail_domain=example.com,mail_host=localhost,admin_email=a@example.com`
        const setUp = [
          `${admin} install classic sqlite '${settings}'`,
          `${admin} initialise tea4two`,
          `${admin} create user username=ada password=tea4two address=ada@example.com roles=User,Admin`,
          `${admin} create keyword name=lid`,
          `${admin} create issue title='Cups are too small' priority=3 status=1`,
        ]
        return {
          file: 'sh',
          args: ['-c', `${setUp.join(' && ')} && exec python3 -B '${SERVE}' tracker ${free}`],
          env: { PYTHONPATH: packages },
        }
      },
      (free) => `http://127.0.0.1:${free}/tea/`,
    )
    return {
      url: `http://127.0.0.1:${port}/tea/`,
      ask: (question) => rowsOf(join(folder, 'tracker', 'db', 'db'), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function signIn(s: Hands, url: string, password: string): Promise<string> {
  const page = await s.open(url)
  if (!/"Login"/.test(page)) return page
  const name = below(page, /text "Login"/)
  await s.fill(name, 'ada')
  await s.fill(below(page, new RegExp(`\\[${name}\\]`)), password)
  return press(s, /button "Login"/, page)
}

const signedIn = (s: Hands, url: string): Promise<string> => signIn(s, url, 'tea4two')

const TASKS: readonly AppTask[] = [
  {
    name: 'roundup-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'coffee'), /Invalid login/)
    },
  },
  {
    name: 'roundup-new-issue',
    about: 'a form whose fields are named by the cells beside them',
    async solve(s, url, hears) {
      await signedIn(s, url)
      const form = await s.open(`${url}issue?@template=item`)
      await s.fill(await s.ref(/textbox "Title"/, form), 'The lid rattles')
      await s.fill(below(form, /"Priority"/), 'urgent')
      hears('saved', await press(s, /button "Submit New Entry"/, form), /issue \d+ created/)
    },
    done: ["SELECT _priority FROM _issue WHERE _title = 'The lid rattles'", [[2]]],
  },
  {
    name: 'roundup-no-title',
    about: 'a field that is asked for',
    async solve(s, url, hears) {
      await signedIn(s, url)
      const form = await s.open(`${url}issue?@template=item`)
      await s.fill(below(form, /"Priority"/), 'bug')
      const told = await press(s, /button "Submit New Entry"/, form)
      hears('field error', told, /Please fill (out|in) this field|Required issue property title not supplied/)
    },
    done: ['SELECT count(*) FROM _issue WHERE _priority = 3 AND _title IS NULL', [[0]]],
  },
  {
    name: 'roundup-edit',
    about: 'a status is changed, and what was changed is told',
    async solve(s, url, hears) {
      await signedIn(s, url)
      const form = await s.open(`${url}issue1`)
      await s.fill(below(form, /"Status"/), 'resolved')
      hears('saved', await press(s, /button "Submit Changes"/, form), /issue 1 .*status.* edited ok/)
    },
    done: ['SELECT _status FROM _issue WHERE id = 1', [[8]]],
  },
  {
    name: 'roundup-keyword-twice',
    about: 'a word that is there already',
    async solve(s, url, hears) {
      await signedIn(s, url)
      const form = await s.open(`${url}keyword?@template=item`)
      await s.fill(below(form, /"Keyword"/), 'lid')
      hears('refused', await press(s, /button "Submit New Entry"/, form), /exists/)
    },
    done: ["SELECT count(*) FROM _keyword WHERE _name = 'lid'", [[1]]],
  },
  {
    name: 'roundup-search',
    about: 'the search of the head, and one row',
    async solve(s, url) {
      const page = await signedIn(s, url)
      await s.fill(await s.ref(/textbox/, page), 'cups')
      must(await press(s, /button "Search"/, page), /Cups are too small/)
    },
  },
]
