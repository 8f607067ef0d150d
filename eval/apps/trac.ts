import { join } from 'node:path'
import { pythonPackage, ROOT } from '../harness/cache.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, rowsOf, serve } from './app.ts'

const SEED = join(ROOT, 'eval', 'apps', 'trac', 'seed.py')

/** A wiki and an issue tracker: long forms, previews, queries, an administration of lists. */
export const TRAC: App = {
  name: 'trac',
  async start() {
    const packages = await pythonPackage('trac', '1.6')
    const { folder, port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: [
          '-c',
          `python3 -B '${SEED}' && exec python3 -c 'from trac.web.standalone import main; main()' -s --hostname 127.0.0.1 -p ${free} tea`,
        ],
        env: { PYTHONPATH: packages },
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    return {
      url: `http://127.0.0.1:${port}/`,
      ask: (question) => rowsOf(join(folder, 'tea', 'db', 'trac.db'), question),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

const TASKS: readonly AppTask[] = [
  {
    name: 'trac-new-ticket',
    about: 'a long form of a table: texts, lists and radio buttons',
    async solve(s, url) {
      const form = await press(s, /link "New Ticket"/, await s.open(url))
      await s.fill(await s.ref(/textbox "Summary/, form), 'The lid rattles')
      await s.fill(await s.ref(/textbox "Description/, form), 'It rattles when it boils.')
      await s.fill(await s.ref(/combobox "Priority/, form), 'critical')
      await s.fill(await s.ref(/combobox "Component/, form), 'Kettle')
      must(await press(s, /button "Create ticket"/, form), /The lid rattles/)
    },
    done: [
      "SELECT priority, component, description FROM ticket WHERE summary = 'The lid rattles'",
      [['critical', 'Kettle', 'It rattles when it boils.']],
    ],
  },
  {
    name: 'trac-no-summary',
    about: 'a ticket that is refused',
    async solve(s, url, hears) {
      const form = await press(s, /link "New Ticket"/, await s.open(url))
      hears('refused', await press(s, /button "Create ticket"/, form), /Tickets must contain a summary/)
    },
    done: ["SELECT count(*) FROM ticket WHERE summary = ''", [[0]]],
  },
  {
    name: 'trac-comment',
    about: 'a comment on a ticket',
    async solve(s, url) {
      const ticket = await s.open(`${url}ticket/3`)
      await s.fill(await s.ref(/textbox.*multiline/, ticket), 'Mine does that, too.')
      must(await press(s, /button "Submit changes"/, ticket), /Mine does that, too/)
    },
    done: ["SELECT newvalue FROM ticket_change WHERE ticket = 3 AND field = 'comment'", [['Mine does that, too.']]],
  },
  {
    name: 'trac-resolve',
    about: 'one of several actions, with a list beside it',
    async solve(s, url) {
      const ticket = await s.open(`${url}ticket/5`)
      const opened = await press(s, /link "Modify Ticket"/, ticket)
      const chosen = await s.fill(await s.ref(/radio "resolve/, opened), true)
      await s.fill(await s.ref(/combobox.*fixed.*invalid/, chosen), 'wontfix')
      must(await press(s, /button "Submit changes"/, ticket), /closed/)
    },
    done: ['SELECT status, resolution FROM ticket WHERE id = 5', [['closed', 'wontfix']]],
  },
  {
    name: 'trac-wiki',
    about: 'a new page, a link to it and the message that it was saved',
    async solve(s, url, hears) {
      const page = await s.open(`${url}wiki/BrewingGuide`)
      const form = await press(s, /button "Create this page"|button "Create the page"|link "create/i, page)
      await s.fill(await s.ref(/textbox.*multiline/, form), '= Brewing =\nBoil the water first.')
      hears('saved', await press(s, /button "Submit changes"/, form), /Your changes have been saved/)
    },
    done: [
      "SELECT replace(text, char(13), '') FROM wiki WHERE name = 'BrewingGuide'",
      [['= Brewing =\nBoil the water first.']],
    ],
  },
  {
    name: 'trac-wiki-unchanged',
    about: 'a page that is saved without a change',
    async solve(s, url, hears) {
      // The first page as it is shipped ends otherwise than what its form sends.
      const save = async (page: string) =>
        press(s, /button "Submit changes"/, await press(s, /button "Edit this page"/, page))
      hears('refused', await save(await save(await s.open(url))), /Page not modified/)
    },
  },
  {
    name: 'trac-wiki-delete',
    about: 'a page is deleted, on a page that asks for it',
    async solve(s, url, hears) {
      const sure = await press(s, /button "Delete page"/, await s.open(`${url}wiki/TracFastCgi`))
      hears('saved', await press(s, /button "Delete page"/, sure), /has been deleted/)
    },
    done: ["SELECT count(*) FROM wiki WHERE name = 'TracFastCgi'", [[0]]],
  },
  {
    name: 'trac-component',
    about: 'what is added to a list of the administration, and what is refused there',
    async solve(s, url, hears) {
      const form = await s.open(`${url}admin/ticket/components`)
      await s.fill(await s.ref(/textbox "Name/, form), 'Teapot')
      const added = await press(s, /button "Add"/, form)
      hears('saved', added, /The component "?\\?"?Teapot.*has been added/)
      await s.fill(await s.ref(/textbox "Name/, added), 'Garden')
      hears('refused', await press(s, /button "Add"/, added), /already exists/)
    },
    done: ["SELECT count(*) FROM component WHERE name = 'Teapot'", [[1]]],
  },
  {
    name: 'trac-remove-version',
    about: 'rows of a table are chosen and removed',
    async solve(s, url, hears) {
      const form = await s.open(`${url}admin/ticket/versions`)
      const lines = form.split('\n')
      const row = lines.findIndex((line) => /link "1\.0"/.test(line))
      const box = lines.slice(0, row).findLast((line) => /checkbox/.test(line)) ?? ''
      await s.click(await s.ref(/./, box))
      hears('saved', await press(s, /button "Remove selected items"/, form), /have been removed/)
    },
    done: ['SELECT name FROM version', [['2.0']]],
  },
  {
    name: 'trac-milestone',
    about: 'a form with a date, and the message after it',
    async solve(s, url, hears) {
      const form = await press(s, /"Add new milestone"/, await s.open(`${url}roadmap`))
      await s.fill(await s.ref(/textbox "Name/, form), 'First flush')
      hears('saved', await press(s, /button "Add milestone"/, form), /First flush.*has been added/)
    },
    done: ["SELECT count(*) FROM milestone WHERE name = 'First flush'", [[1]]],
  },
  {
    name: 'trac-preferences',
    about: 'settings are saved',
    async solve(s, url, hears) {
      const form = await press(s, /link "Preferences"/, await s.open(url))
      await s.fill(await s.ref(/textbox "Full name/, form), 'Ada Lovelace')
      await s.fill(await s.ref(/textbox "Email/, form), 'ada@example.com')
      hears('saved', await press(s, /button "Save changes"/, form), /Your preferences have been saved/)
    },
    done: ["SELECT value FROM session_attribute WHERE name = 'name'", [['Ada Lovelace']]],
  },
  {
    name: 'trac-report',
    about: 'a count that is read off a long list',
    async solve(s, url) {
      const reports = await press(s, /link "View Tickets"/, await s.open(url))
      must(await press(s, /link "\{1\} Active Tickets|link ".*Active Tickets"/, reports), /\(?4\d matches\)?/)
    },
  },
]
