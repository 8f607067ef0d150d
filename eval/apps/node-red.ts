import { join } from 'node:path'
import { npmPackage } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, serve } from './app.ts'

/** Node-RED: a canvas of SVG with nodes that are drawn, joined, edited and deployed. */
export const NODE_RED: App = {
  name: 'node-red',
  async start() {
    const program = join(await npmPackage('node-red', '4.1.8'), 'red.js')
    const { port, close } = await serve(
      (at, free) => ({
        file: 'node',
        args: [
          program,
          '--port',
          String(free),
          '--userDir',
          at,
          '-D',
          'uiHost=127.0.0.1',
          '-D',
          'editorTheme.tours=false',
          '-D',
          'telemetry.enabled=false',
        ],
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    const url = `http://127.0.0.1:${port}/`
    return { url, ask: async (type) => nodes(url, type), close }
  },
  get tasks() {
    return TASKS
  },
}

/** Names of the deployed nodes of a type, and of what each is joined to. */
async function nodes(url: string, type: string): Promise<unknown> {
  const all = (await (await fetch(`${url}flows`)).json()) as {
    id: string
    type: string
    name?: string
    label?: string
    wires?: string[][]
  }[]
  return all
    .filter((node) => node.type === type)
    .map(({ name, label, wires = [] }) => [
      name ?? label ?? '',
      ...wires.flat().map((id) => all.find((node) => node.id === id)?.type),
    ])
}

/** Where nodes are drawn: a canvas of SVG that can have the focus. */
const CANVAS = /scrolled 0 of 7/

/** Puts a node of the palette on the canvas. */
async function put(s: Hands, page: string, type: string): Promise<string> {
  const canvas = CANVAS.test(page) ? page : await s.look()
  return s.drag(await s.ref(new RegExp(`clickable "${type}"`), canvas), await s.ref(CANVAS, canvas))
}

const TASKS: readonly AppTask[] = [
  {
    name: 'red-deploy',
    about: 'a node is dragged to the canvas; the notice that it runs',
    async solve(s, url, hears) {
      const page = await s.open(url)
      await put(s, page, 'inject')
      hears('toast', await press(s, /link "Deploy"/, page), /Successfully deployed/)
    },
    done: ['inject', [['']]],
  },
  {
    name: 'red-edit',
    about: 'a double click on a node opens its form',
    async solve(s, url, hears) {
      const page = await s.open(url)
      const form = await s.click(await s.ref(/draggable class=(red-ui-flow-)?node/, await s.look()), { count: 2 })
      await s.fill(await s.ref(/textbox "[^"]*Name"/, form), 'Every morning')
      const kept = await press(s, /button "Done"/, form)
      hears('toast', await press(s, /link "Deploy"/, /link "Deploy"/.test(kept) ? kept : page), /Successfully deployed/)
    },
    done: ['inject', [['Every morning']]],
  },
  {
    name: 'red-second-flow',
    about: 'a tab of its own, made by a button with a picture alone',
    async solve(s, url, hears) {
      const page = await s.open(url)
      const made = await press(s, /link .*icon=plus/, page)
      must(made, /Flow 2/)
      hears('toast', await press(s, /link "Deploy"/, page), /Successfully deployed/)
    },
    done: ['tab', [['Flow 1'], ['Flow 2']]],
  },
  {
    name: 'red-bad-import',
    about: 'a text that is refused while it is written',
    async solve(s, url, hears) {
      const form = await opened(s, await s.open(url))
      const told = await s.fill(await s.ref(/textbox.*multiline/, form), '[{ "id": ')
      hears('field error', told, /[Uu]nexpected|JSON|disabled/)
    },
  },
  {
    name: 'red-delete',
    about: 'a node is deleted by a key, and the notice of a click',
    async solve(s, url, hears) {
      const page = await s.open(url)
      await s.click(await s.ref(/draggable class=(red-ui-flow-)?node/, await s.look()))
      await s.press('Delete')
      hears('toast', await press(s, /link "Deploy"/, page), /Successfully deployed/)
    },
    done: ['inject', []],
  },
]

async function opened(s: Hands, page: string): Promise<string> {
  const menu = await press(s, /link .*icon=bars/, page)
  return press(s, /link "Import/, menu)
}
