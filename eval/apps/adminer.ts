import { join } from 'node:path'
import { debianPackages } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, rowsOf, serve } from './app.ts'

const SEED = `import sqlite3
db = sqlite3.connect("tea.sqlite")
db.executescript("""
CREATE TABLE tea (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, grams INTEGER);
CREATE TABLE scrap (word TEXT);
INSERT INTO tea (name, grams) VALUES ('Sencha', 50), ('Assam', 75), ('Dust', 5);
""")`

/** Databases in PHP: tables of fields named by their first cells, messages above the page that follows. */
export const ADMINER: App = {
  name: 'adminer',
  async start() {
    await debianPackages('php-cli', 'php-sqlite3', 'adminer')
    const { folder, port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: [
          '-c',
          `python3 -c '${SEED.replaceAll("'", `'"'"'`)}' && exec php -d error_reporting=0 -S 127.0.0.1:${free} -t /usr/share/adminer`,
        ],
      }),
      (free) => `http://127.0.0.1:${free}/adminer/sqlite.php`,
    )
    const file = join(folder, 'tea.sqlite')
    return {
      url: `http://127.0.0.1:${port}/adminer/sqlite.php?sqlite=&username=&db=${encodeURIComponent(file)}`,
      ask: (question) => rowsOf(file, question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

/** The password that its sample for SQLite is shipped with. */
async function signIn(s: Hands, url: string, password = 'YOUR_PASSWORD_HERE'): Promise<string> {
  const page = await s.open(url)
  if (!/button "Login"/.test(page)) return page
  await s.fill(await s.ref(/textbox "Password/, page), password)
  return press(s, /button "Login"/, page)
}

/** A form of a table has two fields in a row: a function, and the value. */
const after = (form: string, cell: string): string => form.slice(form.indexOf(cell))

const TASKS: readonly AppTask[] = [
  {
    name: 'adminer-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'coffee'), /Database does not support password/)
    },
  },
  {
    name: 'adminer-insert',
    about: 'a row is inserted',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}&edit=tea`)
      await s.fill(await s.ref(/textbox/, after(form, 'columnheader "name"')), 'Gyokuro')
      await s.fill(await s.ref(/textbox|spinbutton/, after(form, 'columnheader "grams"')), '80')
      hears('saved', await press(s, /button "Save"/, form), /Item( \d+)? has been inserted/)
    },
    done: ["SELECT grams FROM tea WHERE name = 'Gyokuro'", [[80]]],
  },
  {
    name: 'adminer-duplicate',
    about: 'a row that the database refuses',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}&edit=tea`)
      await s.fill(await s.ref(/textbox/, after(form, 'columnheader "name"')), 'Assam')
      hears('refused', await press(s, /button "Save"/, form), /UNIQUE constraint failed/)
    },
    done: ["SELECT count(*) FROM tea WHERE name = 'Assam'", [[1]]],
  },
  {
    name: 'adminer-update',
    about: 'a row is changed, by the link of its row',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}&edit=tea&where%5Bid%5D=1`)
      await s.fill(await s.ref(/textbox|spinbutton/, after(form, 'columnheader "grams"')), '55')
      hears('saved', await press(s, /button "Save"/, form), /Item has been updated/)
    },
    done: ["SELECT grams FROM tea WHERE name = 'Sencha'", [[55]]],
  },
  {
    name: 'adminer-delete',
    about: 'a row is deleted, after a question of the browser',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}&edit=tea&where%5Bid%5D=3`)
      hears('alert', await press(s, /button "Delete"/, form), /Are you sure\?/)
      hears('saved', await s.dialog(true), /Item has been deleted/)
    },
    done: ["SELECT count(*) FROM tea WHERE name = 'Dust'", [[0]]],
  },
  {
    name: 'adminer-query',
    about: 'a query that cannot be run',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}&sql=`)
      await s.fill(await s.ref(/textbox/, form), 'SELECT * FROM coffee')
      hears('refused', await press(s, /button "Execute"/, form), /no such table: coffee/)
    },
  },
  {
    name: 'adminer-rows',
    about: 'the rows of a table',
    async solve(s, url) {
      const page = await signIn(s, url)
      must(await press(s, /link "select".*select=tea$/, page), /Assam/)
    },
  },
]
