import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { headedSuite } from './browser.ts'
import { type HeadedTask, openHeadedTask } from './task.ts'
import type { Target } from './watcher.ts'

/** Digits are of the user; a task types letters alone. */
const DIGITS_AN_ACT = 10

export interface FrontScene {
  readonly task: HeadedTask
  readonly origin: string
  /** Digits that arrived in pages of the task. */
  readonly leaked: string[]
  /** Paths of `/typed/`. */
  readonly typed: string[]
  close(): Promise<void>
}

type Run = (scene: FrontScene) => Promise<unknown>
const click =
  (more: object = {}): Run =>
  async ({ task }) =>
    task.call('computer', { action: 'left_click', ref: await task.ref(/Go on/), look: 'none', ...more })
const script =
  (text: string): Run =>
  ({ task }) =>
    task.call('javascript_tool', { action: 'javascript_exec', text, look: 'none' })
const tool =
  (name: string, input: Record<string, unknown>): Run =>
  ({ task }) =>
    task.call(name, input)
const onField =
  (action: string, more: object): Run =>
  async ({ task }) =>
    task.call('computer', { action, ref: await task.ref(/textbox/), look: 'none', ...more })

const button = (handler: string) => `<button onclick="${handler}">Go on</button>`
const FIELD = '<input aria-label=Note autofocus>'

/** A page, and what a task does on it. */
export const ACTS: Readonly<Record<string, readonly [page: string, run: Run]>> = {
  'a link to a new tab': ['<a target=_blank href=/page/other>Go on</a>', click()],
  'a link to a new tab without an opener': ['<a target=_blank rel=noopener href=/page/other>Go on</a>', click()],
  'a link to a window with a name': ['<a target=there href=/page/other>Go on</a>', click()],
  'a form to a new tab': ['<form target=_blank action=/page/other><button>Go on</button></form>', click()],
  'window.open': [button("open('/page/other')"), click()],
  'window.open of nothing, filled later': [
    button("const w = open(''); w.document.write('<input autofocus>')"),
    click(),
  ],
  'window.open with a size': [button("open('/page/other', '', 'width=300,height=300')"), click()],
  'window.open, a moment later': [button("setTimeout(() => open('/page/other'), 300)"), click()],
  'window.open and focus': [button("open('/page/other').focus()"), click()],
  'two windows at once': [button("open('/page/other'); open('/page/other')"), click()],
  'a click with ctrl': ['<a href=/page/other>Go on</a>', click({ modifiers: 'ctrl' })],
  'a click with shift': ['<a href=/page/other>Go on</a>', click({ modifiers: 'shift' })],
  'the tool for tabs': [FIELD, tool('tabs', { action: 'open', url: 'ORIGIN/page/other' })],
  'an alert': [button("alert('Look')"), click()],
  'a confirm': [button("confirm('Really')"), click()],
  'a prompt': [button("prompt('Name')"), click()],
  'a download': ['<a download href=/file>Go on</a>', click()],
  'full screen': [button('document.documentElement.requestFullscreen()'), click()],
  'a focus by script': [`${FIELD}${button("document.querySelector('input').focus(); focus()")}`, click()],
  'a page with a focus': [FIELD, tool('navigate', { url: 'ORIGIN/page/other' })],
  'a file window': [`<input type=file aria-label="Go on">`, click()],
  'a file window by script': [`<input type=file hidden>${button("document.querySelector('input').click()")}`, click()],
  'a print': [button('print()'), click()],
  'a question for the place': [button('navigator.geolocation.getCurrentPosition(() => {})'), click()],
  'a question for notifications': [button('Notification.requestPermission()'), click()],
  'a pointer lock': [button('document.body.requestPointerLock()'), click()],
  'typed text': [FIELD, onField('type', { text: 'hello' })],
  keys: [FIELD, onField('key', { text: 'Tab' })],
  'a value': [FIELD, async ({ task }) => task.call('form_input', { ref: await task.ref(/textbox/), value: 'tea' })],
  'a script': [FIELD, script("document.querySelector('input').select(); window.focus()")],
  'a window by a script': [FIELD, script("open('/page/other')")],
  'a screenshot': [FIELD, tool('computer', { action: 'screenshot' })],
  'a sign-in of the browser': [FIELD, tool('navigate', { url: 'ORIGIN/secret' })],
  'an external address': ['<a href="mailto:ada@shop.example">Go on</a>', click()],
}

async function openScene(): Promise<FrontScene> {
  const leaked: string[] = []
  const typed: string[] = []
  const pages = new Map(Object.entries(ACTS).map(([name, [page]]) => [`/page/${encodeURIComponent(name)}`, page]))
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/leaked/')) leaked.push(url)
    if (url.startsWith('/typed/')) typed.push(url.slice('/typed/'.length))
    if (url === '/secret') return response.writeHead(401, { 'www-authenticate': 'Basic realm=tea' }).end('no')
    if (url === '/file') return response.writeHead(200, { 'content-type': 'application/x-tea' }).end('tea')
    response.writeHead(200, { 'content-type': 'text/html' })
    if (url === '/own') return response.end('<title>Own</title><textarea autofocus></textarea>')
    const keys = `<script>addEventListener('keydown', ({ key }) => { if (/\\d/.test(key)) navigator.sendBeacon('/leaked/' + key) }, true)</script>`
    response.end(`<!doctype html><title>Task</title>${keys}${pages.get(url) ?? FIELD}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const task = await openHeadedTask()
  return {
    ...{ task, origin, leaked, typed },
    async close() {
      await task.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Where a person goes on typing. */
interface Place {
  /** Puts the caret there. */
  begin(scene: FrontScene): Promise<Target>
  /** What has arrived there. */
  text(scene: FrontScene, target: Target): Promise<string>
}
export const PLACES: Readonly<Record<string, Place>> = {
  'an own tab': {
    async begin({ task: { browser }, origin }) {
      const own = await browser.watcher.open(`${origin}/own`)
      await browser.click(own, 'textarea')
      return own
    },
    text: ({ task }, own) => task.browser.watcher.value<string>(own, "document.querySelector('textarea').value"),
  },
}

/** Types while each act is done; what is not in place afterwards is told. */
export async function tryTyping(scene: FrontScene, place: Place, names: readonly string[]): Promise<void> {
  const { task, origin, leaked } = scene
  const { browser } = task
  leaked.length = 0
  const own = await place.begin(scene)
  const wrong: string[] = []
  let typed = ''
  let lost = 0
  for (const [at, name] of names.entries()) {
    const digits = String(at % 10).repeat(DIGITS_AN_ACT)
    await task.call('navigate', { url: `${origin}/page/${encodeURIComponent(name)}` })
    const act = ACTS[name]?.[1]({ ...scene, task: at0(task, origin) })
    await browser.screen.type(digits)
    typed += digits
    await act?.catch((error) => wrong.push(`${name}: ${error}`))
    const isFront = () => browser.watcher.value<boolean>(own, 'document.hasFocus()')
    await eventually(isFront, `the own tab to be in front after ${name}`, 3_000).catch((error) =>
      wrong.push(error.message),
    )
    lost += typed.length - (await place.text(scene, own)).length
    typed = await place.text(scene, own)
    if (leaked.length > 0) wrong.push(`${name}: ${leaked.splice(0).length} in a page of the task`)
    task.end()
  }
  // Chromium switches first and tells then: a key of these milliseconds is of nobody.
  console.log(`${names.length * DIGITS_AN_ACT} keys typed, ${lost} of them lost while another tab was in front`)
  assert.equal(wrong, [])
}

/** Addresses of the test's own server. */
const at0 = (task: HeadedTask, origin: string): HeadedTask =>
  Object.create(task, {
    call: {
      value: (name: string, input: Record<string, unknown>, more?: object) =>
        task.call(name, 'url' in input ? { ...input, url: String(input.url).replace('ORIGIN', origin) } : input, more),
    },
  })

export function frontSuite(places: readonly string[], names: readonly string[]): void {
  const test = headedSuite('what the user has in front', openScene, (scene) => scene.close())
  for (const name of places)
    test(`[S25] a person who types in ${name} is not interrupted by a task`, async (scene) => {
      const place = PLACES[name]
      if (place) await tryTyping(scene, place, names)
    })
  void test.run()
}
