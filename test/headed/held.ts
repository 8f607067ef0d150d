import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type AttackedShop, openAttackedShop } from '../support/holds/shop.ts'
import type { Answer } from '../support/holds/suite.ts'
import { headedSuite } from './browser.ts'
import { type HeadedTask, openHeadedTask } from './task.ts'
import type { Target } from './watcher.ts'

export interface HeldScene {
  readonly task: HeadedTask
  readonly shop: AttackedShop
}

const APPROVALS = { approvals: 'irreversible' }
/** So long after the end of everything a request would have arrived: one that is sent takes a few milliseconds. */
const ARRIVES_MS = 300

const button = (script: string) => `<button onclick="${script}">Pay now</button>`
const form = (action: string) =>
  `<form method=post action=${action}><input type=hidden name=item value=7><button>Pay now</button></form>`

/** What a page sends when its button is pressed. */
export const KINDS: Readonly<Record<string, string>> = {
  fetch: button(`fetch('/do/1', { method: 'POST', body: 'item=7' })`),
  XHR: button(`const r = new XMLHttpRequest(); r.open('POST', '/do/1'); r.send('item=7')`),
  form: form('/do/1'),
  'form of a frame': '<iframe src="/page/form"></iframe>',
  beacon: button(`navigator.sendBeacon('/do/1', 'item=7')`),
  keepalive: button(`fetch('/do/1', { method: 'POST', body: 'item=7', keepalive: true })`),
  'fetch to another site': button(`fetch('ELSEWHERE/do/1', { method: 'PUT', body: 'item=7' })`),
  'fetch of a service worker': `<script>navigator.serviceWorker.register('/service.js')</script>${button('navigator.serviceWorker.ready.then(({ active }) => active.postMessage(1))')}`,
}
/** The browser's own rules block it, and nobody is asked. */
const BLOCKED = 'fetch of a service worker'

const taskPage = async ({ task, shop }: HeldScene): Promise<Target> => task.browser.watcher.target(shop.origin)

/** The tab of the task, brought to the front by the user: it is the last one. */
async function inFront(scene: HeldScene): Promise<Target> {
  const { screen } = scene.task.browser
  // The window has the keyboard once it was clicked on.
  await screen.click(650, 700)
  await screen.press('ctrl+9')
  return taskPage(scene)
}

const isGone = (scene: HeldScene, page: Target) => async () =>
  (await scene.task.browser.watcher.targets()).every(
    ({ targetId, url }) => targetId !== page.targetId || !url.startsWith(scene.shop.origin),
  )

async function leaves(scene: HeldScene, page: Target): Promise<void> {
  await eventually(isGone(scene, page), 'the page to be gone', 10_000)
}

/** Presses “Cancel” in the bar in which Chromium tells of the debugger; it is in the middle of each window. */
async function cancels({ task }: HeldScene): Promise<void> {
  const before = task.socket.frames.length
  await task.browser.screen.click(849, 115)
  await eventually(
    () => task.socket.frames.slice(before).some(({ type }) => type === 'cancel_task'),
    'the task to be cancelled',
  )
}

/** In the extension's own page: what the worker may do, too. */
async function own({ task }: HeldScene, expression: string): Promise<void> {
  const { browser } = task
  const page = await browser.openOwn('panel.html')
  await browser.watcher.value(page, expression).catch(() => {})
  await browser.watcher.close(page).catch(() => {})
}
const TAB = `chrome.tabs.query({}).then((tabs) => tabs.find(({ url = '', pendingUrl }) => /localhost/.test(url)) ?? tabs.at(-2))`

async function stopWorker({ task }: HeldScene): Promise<void> {
  const { watcher } = task.browser
  await watcher.close(await watcher.target('worker.js'))
  await eventually(
    async () => (await watcher.targets()).every(({ url }) => !url.endsWith('worker.js')),
    'the worker to be stopped',
  )
}

/** Ways in which the debugger or the tab ends, or the page under it. `restarts`: the browser has to be started again. */
export const ENDINGS: Readonly<Record<string, (scene: HeldScene) => Promise<unknown>>> = {
  'Cancel in the bar': cancels,
  'the tab is closed': async (scene) => {
    const page = await inFront(scene)
    // Chromium asks whether the group of the tab is to go, too.
    await scene.task.browser.screen.press('ctrl+w')
    const isClosed = async () => {
      await scene.task.browser.screen.press('Return')
      return isGone(scene, page)()
    }
    await eventually(isClosed, 'the tab to be closed', 10_000)
  },
  'a page of the browser is opened in it': async (scene) => {
    const page = await inFront(scene)
    await scene.task.browser.visit('chrome://version')
    await leaves(scene, page)
  },
  'another site is opened in it': async (scene) => {
    const page = await inFront(scene)
    await scene.task.browser.visit(`${scene.shop.elsewhere}/page/other`)
    await leaves(scene, page)
  },
  'it is reloaded': async (scene) => {
    await inFront(scene)
    await scene.task.browser.screen.press('F5')
  },
  'it goes back': async (scene) => {
    await inFront(scene)
    await scene.task.browser.screen.press('alt+Left')
  },
  'its renderer crashes': async (scene) => {
    await inFront(scene)
    await scene.task.browser.visit('chrome://crash')
  },
  'it is discarded': (scene) => own(scene, `${TAB}.then(({ id }) => chrome.tabs.discard(id))`),
  'it is removed by the extension': (scene) => own(scene, `${TAB}.then(({ id }) => chrome.tabs.remove(id))`),
  'the debugger detaches': (scene) => own(scene, `${TAB}.then(({ id }) => chrome.debugger.detach({ tabId: id }))`),
  'the extension is reloaded': async (scene) => {
    const { sockets } = scene.task
    await own(scene, 'chrome.runtime.reload()')
    await scene.task.connected(sockets)
  },
  'the worker is stopped, and Cancel pressed': async (scene) => {
    await stopWorker(scene)
    await scene.task.browser.screen.click(849, 115)
  },
  'the worker is stopped, and the next call comes': async (scene) => {
    const { sockets } = scene.task
    await stopWorker(scene)
    await own(scene, '1')
    await scene.task.connected(sockets)
    await scene.task.call('read_page', {}, APPROVALS)
  },
  'the task ends': async (scene) => scene.task.end(),
  'the connection is lost': async (scene) => {
    const { sockets } = scene.task
    scene.task.socket.cut()
    await scene.task.connected(sockets)
  },
  'the browser is quit': async (scene) => {
    await scene.task.browser.screen.press('ctrl+shift+w')
    await scene.task.browser.kill()
    await scene.task.browser.restart()
    await scene.task.connected(scene.task.sockets)
  },
  'the browser is asked to end': async (scene) => {
    const { sockets } = scene.task
    await scene.task.browser.kill('SIGTERM')
    await scene.task.browser.restart()
    await scene.task.connected(sockets)
  },
  'the browser is killed': async (scene) => {
    const { sockets } = scene.task
    await scene.task.browser.kill('SIGKILL')
    await scene.task.browser.restart()
    await scene.task.connected(sockets)
  },
}

/** Opens the page of a kind and presses its button. */
async function press({ task, shop }: HeldScene, kind: string, more: object): Promise<Answer> {
  shop.books.length = 0
  shop.pages.set('form', form('/do/1'))
  shop.pages.set('kind', KINDS[kind] ?? '')
  await task.call('navigate', { url: `${shop.origin}/page/kind` }, more)
  const pressed = await task.call(
    'computer',
    { action: 'left_click', ref: await task.ref(/Pay now/, more), look: 'none' },
    more,
  )
  // What comes late is told by the next call.
  return pressed.held || !('approvals' in more) ? pressed : task.call('read_page', {}, more)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What is wrong when it ends that way while a request of that kind waits: nothing may arrive. */
export async function tryEnding(scene: HeldScene, ending: string, kind: string): Promise<string | null> {
  const { task, shop } = scene
  const name = `${kind}, ${ending}`
  try {
    const { held, error, text } = await press(scene, kind, APPROVALS)
    if (!held && kind !== BLOCKED) return `${name}: nobody was asked (${error ?? text}), sent: ${shop.books.join(', ')}`
    await ENDINGS[ending]?.(scene)
    await pause(ARRIVES_MS)
    return shop.books.length > 0 ? `${name}: ${shop.books.join(', ')}` : null
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    task.end()
    await ownTabsClosed(scene)
    await pause(ARRIVES_MS)
    if (shop.books.length > 0) console.log(`after the end of ${name}: ${shop.books.join(', ')}`)
  }
}

/** What a task has left behind is closed, so that the next one begins as this one did. */
async function ownTabsClosed({ task }: HeldScene): Promise<void> {
  const { watcher } = task.browser
  for (const target of await watcher.targets())
    if (target.type === 'page' && target.url !== 'about:blank') await watcher.close(target).catch(() => {})
}

/** Without `approvals` it is sent once; with them, once it is approved and never before. */
export async function tryControls(scene: HeldScene, kind: string): Promise<void> {
  const { task, shop } = scene
  const sent = kind === BLOCKED ? 'POST /do/worker' : kind === 'fetch to another site' ? 'PUT /do/1' : 'POST /do/1'
  await press(scene, kind, {})
  await eventually(() => shop.books.length > 0, `${kind} to be sent without approvals`)
  await pause(ARRIVES_MS)
  assert.equal(shop.books, [sent], `${kind} without approvals`)
  task.end()
  if (kind === BLOCKED) return
  const { held, error } = await press(scene, kind, APPROVALS)
  assert.ok(held, `${kind}: ${error}`)
  await pause(ARRIVES_MS)
  assert.equal(shop.books, [], `${kind} before its approval`)
  const released = await task.call('release', { held: held?.id, action: 'accept', terms: held?.terms }, APPROVALS)
  assert.is(released.error, null, kind)
  await pause(ARRIVES_MS)
  assert.equal(shop.books, [sent], `${kind} after its approval: ${released.text}`)
  task.end()
}

export function heldSuite(endings: readonly string[], kinds: readonly string[]): void {
  const test = headedSuite(
    'what waits for approval',
    async (): Promise<HeldScene> => ({ task: await openHeadedTask(), shop: await openAttackedShop() }),
    async ({ task, shop }) => {
      await task.close()
      await shop.close()
    },
  )
  for (const kind of kinds)
    test(`[I20] ${kind}: sent once without approvals, and once it is approved`, (scene) => tryControls(scene, kind))
  for (const ending of endings)
    test(`[I20] nothing that waits is sent when ${ending}`, async (scene) => {
      const wrong: string[] = []
      for (const kind of kinds) {
        const found = await tryEnding(scene, ending, kind)
        if (kinds.length > 2) console.log(found ?? `nothing was sent: ${kind}, ${ending}`)
        if (found !== null) wrong.push(found)
      }
      assert.equal(wrong, [])
    })
  void test.run()
}
