import { join } from 'node:path'
import { npmPackage } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, serve } from './app.ts'

/** A notebook in one page that redraws itself: menus, tabs, an editor, dialogs, notifications. */
export const TIDDLYWIKI: App = {
  name: 'tiddlywiki',
  async start() {
    const program = `node '${join(await npmPackage('tiddlywiki', '5.4.1'), 'tiddlywiki.js')}' wiki`
    const { port, close } = await serve(
      (_, free) => ({
        file: 'sh',
        args: ['-c', `${program} --init server && exec ${program} --listen host=127.0.0.1 port=${free}`],
      }),
      (free) => `http://127.0.0.1:${free}/status`,
    )
    const url = `http://127.0.0.1:${port}/`
    return { url, ask: (question) => noted(url, question), close }
  },
  get tasks() {
    return TASKS
  },
}

/** The text and the tags of a note, or null. */
async function noted(url: string, title: string): Promise<unknown> {
  const answer = await fetch(`${url}recipes/default/tiddlers/${encodeURIComponent(title)}`)
  if (!answer.ok) return null
  const { text, tags } = (await answer.json()) as { text?: string; tags?: string }
  return [text ?? '', tags ?? '']
}

const TASKS: readonly AppTask[] = [
  {
    name: 'tiddly-new',
    about: 'a note with a title, a text and a tag',
    async solve(s, url) {
      const form = await press(s, /button "new tiddler"/, await s.open(url))
      await s.fill(await s.ref(/textbox.*(title|New Tiddler)/i, form), 'Sencha')
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Steamed, from Shizuoka.')
      await s.type('green', await s.ref(/(textbox|combobox).*tag name/i, form))
      await s.press('Enter')
      must(await press(s, /button "(ok|confirm|done|save)[^"]*"|button.*[Cc]onfirm changes/i, form), /Sencha/)
    },
    done: ['Sencha', ['Steamed, from Shizuoka.', 'green']],
  },
  {
    name: 'tiddly-edit',
    about: 'a note is changed after a question in a dialog of the browser',
    async solve(s, url, hears) {
      const asked = await press(s, /button "Edit this tiddler"/, await s.open(url))
      hears('alert', asked, /You are about to edit a ShadowTiddler/)
      const form = await s.dialog(true)
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Begin with water.')
      await press(s, /button "(ok|confirm|done|save)[^"]*"|button.*[Cc]onfirm changes/i, form)
    },
    done: ['GettingStarted', ['Begin with water.', '$:/tags/GettingStarted']],
  },
  {
    name: 'tiddly-delete',
    about: 'a note is deleted; the page asks in a dialog of the browser',
    async solve(s, url, hears) {
      await newNote(s, await s.open(url), 'Old leaves')
      const page = await s.look()
      const form = await press(s, /button "Edit this tiddler"/, page)
      hears('alert', await press(s, /button "delete this/i, form), /Do you wish to delete the tiddler/)
      await s.dialog(true)
    },
    done: ['Old leaves', null],
  },
  {
    name: 'tiddly-discard',
    about: 'changes are thrown away after a question',
    async solve(s, url, hears) {
      const form = await press(s, /button "new tiddler"/, await s.open(url))
      await s.fill(await s.ref(/textbox.*multiline/, form), 'Never mind.')
      hears('alert', await press(s, /button "(cancel|discard)/i, form), /Do you wish to discard changes/)
      await s.dialog(true)
    },
    done: ['New Tiddler', null],
  },
  {
    name: 'tiddly-title',
    about: 'a setting in tabs',
    async solve(s, url) {
      const panel = await press(s, /button "control panel"/, await s.open(url))
      await s.fill(await s.ref(/textbox.*(Title|My TiddlyWiki)/, panel), 'Tea notes')
      must(await s.look(), /heading "Tea notes"/)
    },
    done: ['$:/SiteTitle', ['Tea notes', '']],
  },
  {
    name: 'tiddly-same-title',
    about: 'a warning that appears while a title is typed',
    async solve(s, url, hears) {
      const form = await press(s, /button "new tiddler"/, await s.open(url))
      const field = await s.ref(/textbox.*(title|New Tiddler)/i, form)
      hears('field error', await s.fill(field, 'GettingStarted'), /already exists/)
    },
  },
]

async function newNote(s: Hands, page: string, title: string): Promise<void> {
  const form = await press(s, /button "new tiddler"/, page)
  await s.fill(await s.ref(/textbox.*(title|New Tiddler)/i, form), title)
  await press(s, /button "(ok|confirm|done|save)[^"]*"|button.*[Cc]onfirm changes/i, form)
}
