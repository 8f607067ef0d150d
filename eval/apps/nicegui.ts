import { join } from 'node:path'
import { pythonPackage, ROOT } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { type App, type AppTask, press, printed, serve } from './app.ts'

const PROGRAM = join(ROOT, 'eval', 'apps', 'nicegui', 'app.py')

/** NiceGUI, whose widgets are Quasar's: toasts at the edges of the window, errors below fields, windows over the page. */
export const NICEGUI: App = {
  name: 'nicegui',
  async start() {
    const packages = await pythonPackage('nicegui', '3.18.0')
    const { folder, port, close } = await serve(
      (_, free) => ({ file: 'python3', args: ['-B', PROGRAM, String(free)], env: { PYTHONPATH: packages } }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    return {
      url: `http://127.0.0.1:${port}/`,
      ask: () => printed('sh', ['-c', 'cat "$1" 2>/dev/null || true', 'sh', join(folder, 'orders.txt')]),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function filled(s: Hands, url: string, name: string): Promise<string> {
  const page = await s.open(url)
  await s.fill(await s.ref(/textbox "Name/, page), name)
  return page
}

const TASKS: readonly AppTask[] = [
  {
    name: 'nicegui-order',
    about: 'an order, and the toast that says so',
    async solve(s, url, hears) {
      const page = await filled(s, url, 'Grace')
      hears('toast', await press(s, /button "Send order"/i, page), /Sencha was ordered for Grace/)
    },
    done: ['', 'Grace,Sencha,50,False\n'],
  },
  {
    name: 'nicegui-short-name',
    about: 'an error below a field while it is filled, and the toast after it',
    async solve(s, url, hears) {
      const page = await s.open(url)
      hears('field error', await s.fill(await s.ref(/textbox "Name/, page), 'Al'), /At least three letters/)
      hears('toast', await press(s, /button "Send order"/i, page), /The order has errors/)
    },
    done: ['', 'Grace,Sencha,50,False\n'],
  },
  {
    name: 'nicegui-sure',
    about: 'a window that asks, and the toast of what was not done',
    async solve(s, url, hears) {
      const page = await filled(s, url, 'Barbara')
      await s.fill(await s.ref(/spinbutton "Grams/, page), '300')
      const asked = await press(s, /button "Send order"/i, page)
      hears('alert', asked, /More than 200 g: are you sure\?/)
      hears('toast', await press(s, /button "Back"/i, asked), /Nothing was ordered/)
    },
    done: ['', 'Grace,Sencha,50,False\n'],
  },
  {
    name: 'nicegui-remove',
    about: 'a toast in a corner, with a button of its own',
    async solve(s, url, hears) {
      hears('toast', await press(s, /button "Remove all orders"/i, await s.open(url)), /All orders were removed/)
    },
    done: ['', ''],
  },
]
