import { join } from 'node:path'
import { pythonPackage, ROOT } from '../harness/cache.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, rowsOf, serve } from './app.ts'

const PROGRAM = join(ROOT, 'eval', 'apps', 'flask-admin', 'app.py')

/** Flask-Admin over a small library: forms in windows, selects with a search, fields edited in place, files. */
export const FLASK_ADMIN: App = {
  name: 'flask-admin',
  async start() {
    const packages = await pythonPackage('flask-admin[sqlalchemy]', '2.2.1')
    const { folder, port, close } = await serve(
      (_, free) => ({ file: 'python3', args: ['-B', PROGRAM, String(free)], env: { PYTHONPATH: packages } }),
      (free) => `http://127.0.0.1:${free}/admin/`,
    )
    return {
      url: `http://127.0.0.1:${port}/admin/`,
      ask: (question) => rowsOf(join(folder, 'library.sqlite3'), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

/** The row of a table with these words, and what can be used in it. */
const rowWith = (words: string, told: string): string => {
  const lines = told.split('\n')
  const at = lines.findIndex((line) => /^\W*row /.test(line) && line.includes(words))
  const end = lines.findIndex((line, index) => index > at && /^\W*row /.test(line))
  return lines.slice(at, end === -1 ? undefined : end).join('\n')
}

const TASKS: readonly AppTask[] = [
  {
    name: 'flask-create-in-window',
    about: 'a form in a window over the list',
    async solve(s, url, hears) {
      const list = await press(s, /link "Authors"/, await s.open(url))
      const form = await press(s, /link "Create"/, list)
      await s.fill(await s.ref(/textbox "Name/, form), 'Sei Shonagon')
      await s.fill(await s.ref(/textbox "Email/, form), 'sei@example.com')
      hears('saved', await press(s, /button "Save"/, form), /Record was successfully created/)
    },
    done: ["SELECT email FROM author WHERE name = 'Sei Shonagon'", [['sei@example.com']]],
  },
  {
    name: 'flask-duplicate',
    about: 'what the database refuses',
    async solve(s, url, hears) {
      const form = await s.open(`${url}author/new/`)
      await s.fill(await s.ref(/textbox "Name/, form), 'Lu Yu')
      hears('refused', await press(s, /button "Save" /, form), /Already exists|UNIQUE constraint|Integrity error/)
    },
    done: ["SELECT count(*) FROM author WHERE name = 'Lu Yu'", [[1]]],
  },
  {
    name: 'flask-empty-field',
    about: 'a field that the browser itself asks for',
    async solve(s, url, hears) {
      const form = await s.open(`${url}book/new/`)
      hears('field error', await press(s, /button "Save" /, form), /Please fill (out|in) this field/)
    },
  },
  {
    name: 'flask-negative',
    about: 'the error of a field',
    async solve(s, url, hears) {
      const form = await s.open(`${url}book/new/`)
      await s.fill(await s.ref(/textbox "Title/, form), 'A Minus')
      await s.fill(await s.ref(/(spinbutton|textbox) "Copies/, form), '-2')
      hears('field error', await press(s, /button "Save" /, form), /cannot be fewer than 0 copies/)
    },
    done: ["SELECT count(*) FROM book WHERE title = 'A Minus'", [[0]]],
  },
  {
    name: 'flask-edit-in-place',
    about: 'a value that becomes a field when it is clicked',
    async solve(s, url) {
      const list = await press(s, /link "Books"/, await s.open(url))
      const field = await s.click(await s.ref(/link "1"/, rowWith('Book 8 ', list)))
      await s.fill(await s.ref(/(spinbutton|textbox)/, field), '12')
      await press(s, /button .*icon=check/, field)
    },
    done: ["SELECT copies FROM book WHERE title = 'Book 8'", [[12]]],
  },
  {
    name: 'flask-author-of-book',
    about: 'a list with a search of its own',
    async solve(s, url, hears) {
      const form = await s.open(`${url}book/new/`)
      await s.fill(await s.ref(/textbox "Title/, form), 'The Pillow Book')
      const open = await press(s, /link "__None"/, form)
      const picked = await press(s, /(option|listitem|clickable|text).*"Lu Yu"/, open)
      hears(
        'saved',
        await press(s, /button "Save" /, picked.includes('button "Save"') ? picked : form),
        /successfully created/,
      )
    },
    done: [
      "SELECT author.name FROM book JOIN author ON author.id = author_id WHERE title = 'The Pillow Book'",
      [['Lu Yu']],
    ],
  },
  {
    name: 'flask-lend',
    about: 'rows are chosen, and an action is confirmed in a dialog of the browser',
    async solve(s, url, hears) {
      const list = await press(s, /link "Books"/, await s.open(url))
      for (const book of ['Book 3 ', 'Book 4 ']) await s.click(await s.ref(/checkbox/, rowWith(book, list)))
      const menu = await press(s, /"With selected"/, list)
      const asked = await press(s, /link "Lend"/, menu)
      hears('alert', asked, /Lend the chosen books\?/)
      hears('saved', await s.dialog(true), /2 books were lent/)
    },
    done: ["SELECT copies FROM book WHERE title IN ('Book 3', 'Book 4')", [[2], [3]]],
  },
  {
    name: 'flask-lend-nothing',
    about: 'an alert of the page',
    async solve(s, url, hears) {
      const list = await press(s, /link "Books"/, await s.open(url))
      const menu = await press(s, /"With selected"/, list)
      hears('alert', await press(s, /link "Lend"/, menu), /[Pp]lease select at least one record/)
    },
  },
  {
    name: 'flask-delete',
    about: 'a deletion is confirmed in a dialog of the browser',
    async solve(s, url, hears) {
      const list = await press(s, /link "Books"/, await s.open(url))
      const asked = await s.click(await s.ref(/button "Delete Record"/, rowWith('Book 9 ', list)))
      hears('alert', asked, /Are you sure you want to delete this record\?/)
      hears('saved', await s.dialog(true), /successfully deleted/)
    },
    done: ["SELECT count(*) FROM book WHERE title = 'Book 9'", [[0]]],
  },
  {
    name: 'flask-keep',
    about: 'a deletion that is not confirmed',
    async solve(s, url, hears) {
      const list = await press(s, /link "Books"/, await s.open(url))
      const asked = await s.click(await s.ref(/button "Delete Record"/, rowWith('Book 10 ', list)))
      hears('alert', asked, /Are you sure/)
      await s.dialog(false)
    },
    done: ["SELECT count(*) FROM book WHERE title = 'Book 10'", [[1]]],
  },
  {
    name: 'flask-search',
    about: 'a search and the one row that is left',
    async solve(s, url) {
      const list = await press(s, /link "Books"/, await s.open(url))
      await s.type('Book 42', await s.ref(/(textbox|searchbox).*title/i, list))
      const found = await s.press('Enter')
      must(found, /row "[^"]*Book 42/)
      must(found, /List \(1\)/)
    },
  },
  {
    name: 'flask-third-page',
    about: 'the pages of a list',
    async solve(s, url) {
      const list = await press(s, /link "Books"/, await s.open(url))
      must(await press(s, /link "3"$|link "3" .*page=2/, list), /Book 5\d/)
    },
  },
  {
    name: 'flask-folder',
    about: 'files: a folder is made, and a file is changed',
    async solve(s, url, hears) {
      const files = await press(s, /link "Files"/, await s.open(url))
      const form = await press(s, /link "Create Directory"/, files)
      await s.fill(await s.ref(/textbox "Name/, form), 'letters')
      hears('saved', await press(s, /button "Save"/, form), /Successfully created directory/)
    },
  },
]
