import { join } from 'node:path'
import { debianPackages } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, rowsOf, serve } from './app.ts'

/** MediaWiki: long pages, forms of widgets, bubbles that go away. */
export const MEDIAWIKI: App = {
  name: 'mediawiki',
  async start() {
    await debianPackages('php-cli', 'php-sqlite3', 'php-xml', 'php-mbstring', 'php-intl', 'mediawiki')
    const { folder, port, close } = await serve(
      (at, free) => ({
        file: 'sh',
        args: [
          '-c',
          `php /usr/share/mediawiki/maintenance/install.php --dbtype sqlite --dbname tea --dbpath '${at}/data' --confpath '${at}' --server http://127.0.0.1:${free} --scriptpath '' --pass tea4two-please 'Tea wiki' Ada && exec php -d error_reporting=0 -S 127.0.0.1:${free} -t /usr/share/mediawiki`,
        ],
        env: { MW_CONFIG_FILE: `${at}/LocalSettings.php` },
      }),
      (free) => `http://127.0.0.1:${free}/index.php`,
    )
    return {
      url: `http://127.0.0.1:${port}/index.php`,
      ask: (question) => rowsOf(join(folder, 'data', 'tea.sqlite'), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function signIn(s: Hands, url: string, password = 'tea4two-please'): Promise<string> {
  const form = await s.open(`${url}?title=Special:UserLogin`)
  if (!/textbox "Username/.test(form)) return form
  await s.fill(await s.ref(/textbox "Username/, form), 'Ada')
  await s.fill(await s.ref(/textbox "Password/, form), password)
  return press(s, /button "Log in"/, form)
}

const exists = (title: string): string =>
  `SELECT count(*) FROM page WHERE page_title = '${title}' AND page_namespace = 0`

const TASKS: readonly AppTask[] = [
  {
    name: 'media-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'coffee'), /Incorrect username or password entered/)
    },
  },
  {
    name: 'media-new-account',
    about: 'an account whose passwords differ',
    async solve(s, url, hears) {
      const form = await s.open(`${url}?title=Special:CreateAccount`)
      await s.fill(await s.ref(/textbox "Username/, form), 'Grace')
      await s.fill(await s.ref(/textbox "Password/, form), 'compiler-1952')
      await s.fill(await s.ref(/textbox "Confirm password/, form), 'compiler-1953')
      hears('field error', await press(s, /button "Create/, form), /The passwords you entered do not match/)
    },
  },
  {
    name: 'media-new-page',
    about: 'a page is written, and a bubble says so',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?title=Brewing&action=edit`)
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Boil the water first.')
      hears('toast', await press(s, /button "Save/, form), /The page has been created/)
    },
    done: [exists('Brewing'), [[1]]],
  },
  {
    name: 'media-edit',
    about: 'a page is changed, and a bubble says so',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?title=Main_Page&action=edit`)
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Tea, page by page.')
      hears('toast', await press(s, /button "Save/, form), /Your edit was saved/)
    },
    done: ["SELECT count(*) FROM revision JOIN page ON page_id = rev_page WHERE page_title = 'Main_Page'", [[2]]],
  },
  {
    name: 'media-watch',
    about: 'a star, whose bubble goes away',
    async solve(s, url, hears) {
      await signIn(s, url)
      const page = await s.open(`${url}?title=Talk:Main_Page&action=info`)
      const told = await press(s, /link "(Watch|Unwatch)"/, page)
      hears('toast', told, /have been (added to|removed from) your/)
    },
  },
  {
    name: 'media-preferences',
    about: 'settings in tabs are saved',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?title=Special:Preferences`)
      await s.fill(await s.ref(/textbox "Real name/, form), 'Ada Lovelace')
      hears('saved', await press(s, /button "Save"/, form), /Your preferences have been saved/)
    },
    done: ['SELECT user_real_name FROM user WHERE user_id = 1', [['Ada Lovelace']]],
  },
  {
    name: 'media-delete',
    about: 'a page is deleted, on a page that asks for it',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?title=Scrap&action=edit`)
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Nothing.')
      must(await press(s, /button "Save/, form), /Nothing/)
      const sure = await s.open(`${url}?title=Scrap&action=delete`)
      hears('saved', await press(s, /button "Delete page"/, sure), /has been deleted/)
    },
    done: [exists('Scrap'), [[0]]],
  },
]
