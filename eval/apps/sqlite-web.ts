import { join } from 'node:path'
import { pythonPackage } from '../harness/cache.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, rowsOf, serve } from './app.ts'

const SEED = `import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""
CREATE TABLE tea (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, origin TEXT, grams INTEGER);
CREATE TABLE scrap (id INTEGER PRIMARY KEY, word TEXT);
INSERT INTO scrap (word) VALUES ('old');
""")
db.executemany("INSERT INTO tea (name, origin, grams) VALUES (?, ?, ?)",
  [(f"Tea {n}", ["Japan", "China", "India"][n % 3], 50 + n) for n in range(180)])
db.commit()`

/** A web page for SQLite databases: tables, rows, queries, columns. */
export const SQLITE_WEB: App = {
  name: 'sqlite-web',
  async start() {
    const packages = await pythonPackage('sqlite-web', '0.8.2')
    const file = (folder: string) => join(folder, 'tea.sqlite3')
    const { folder, port, close } = await serve(
      (at, free) => ({
        file: 'sh',
        args: [
          '-c',
          `python3 -c '${SEED.replaceAll("'", `'"'"'`)}' ${file(at)} && exec python3 -c 'from sqlite_web.sqlite_web import main; main()' -x -H 127.0.0.1 -p ${free} ${file(at)}`,
        ],
        env: { PYTHONPATH: packages },
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    return {
      url: `http://127.0.0.1:${port}/`,
      ask: (question) => rowsOf(file(folder), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

const TASKS: readonly AppTask[] = [
  {
    name: 'sqlite-insert',
    about: 'a row is inserted by a form',
    async solve(s, url, hears) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const form = await press(s, /link "Insert"/, table)
      await s.fill(await s.ref(/textbox "name/i, form), 'Gyokuro')
      await s.fill(await s.ref(/textbox "origin/i, form), 'Japan')
      await s.fill(await s.ref(/textbox "grams/i, form), '75')
      hears('saved', await press(s, /button "Insert"/, form), /Gyokuro|[Ss]uccess|inserted/)
    },
    done: ["SELECT name, origin, grams FROM tea WHERE name = 'Gyokuro'", [['Gyokuro', 'Japan', 75]]],
  },
  {
    name: 'sqlite-refused',
    about: 'a row that the database refuses is told',
    async solve(s, url, hears) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const form = await press(s, /link "Insert"/, table)
      await s.fill(await s.ref(/textbox "name/i, form), 'Tea 7')
      hears('refused', await press(s, /button "Insert"/, form), /UNIQUE constraint failed/)
    },
    done: ["SELECT count(*) FROM tea WHERE name = 'Tea 7'", [[1]]],
  },
  {
    name: 'sqlite-query',
    about: 'a query is written into an editor, and its result is read',
    async solve(s, url) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const page = await press(s, /link "Query"/, table)
      await s.call('computer', {
        action: 'type',
        ref: await s.ref(/textbox.*multiline/, page),
        text: 'select origin, sum(grams) from tea group by origin',
        clear: true,
      })
      const result = await press(s, /button "(Execute|Query|Run)/, page)
      must(result, /China/)
      must(result, /8[0-9]{3}/)
    },
  },
  {
    name: 'sqlite-add-column',
    about: 'a form with a list, and the message that it was done',
    async solve(s, url, hears) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const form = await press(s, /link "\+ Add column"/, table)
      await s.fill(await s.ref(/textbox "Column name/, form), 'price')
      await s.fill(await s.ref(/combobox "Column type/, form), 'INTEGER')
      hears('saved', await press(s, /button "Add column"/, form), /was added successfully/)
    },
    done: ["SELECT count(*) FROM pragma_table_info('tea') WHERE name = 'price'", [[1]]],
  },
  {
    name: 'sqlite-empty-column',
    about: 'what is missing in a form is told',
    async solve(s, url, hears) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const form = await press(s, /link "\+ Add column"/, table)
      hears('field error', await press(s, /button "Add column"/, form), /Name and column type are required/)
    },
  },
  {
    name: 'sqlite-last-page',
    about: 'the last page of a long table',
    async solve(s, url) {
      const table = await press(s, /link "tea"/, await s.open(url))
      const rows = await press(s, /link "Content"/, table)
      must(await press(s, /link "»"/, rows), /Tea 179/)
    },
  },
  {
    name: 'sqlite-drop',
    about: 'a table is dropped, on a page that asks for it',
    async solve(s, url, hears) {
      const table = await press(s, /link "scrap"/, await s.open(url))
      const sure = await press(s, /link "Drop"/, table)
      hears('saved', await press(s, /button "Drop table"/, sure), /dropped successfully/)
    },
    done: ["SELECT count(*) FROM sqlite_master WHERE name = 'scrap'", [[0]]],
  },
  {
    name: 'sqlite-create',
    about: 'a menu that opens, with a form in it',
    async solve(s, url) {
      const page = await s.open(url)
      const menu = await press(s, /button "\+ Table"/, page)
      await s.fill(await s.ref(/textbox "New table name"/, menu), 'pots')
      await press(s, /button "Create"/, menu)
    },
    done: ["SELECT count(*) FROM sqlite_master WHERE name = 'pots'", [[1]]],
  },
]
