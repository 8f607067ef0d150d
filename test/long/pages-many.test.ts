import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aTask } from '../support/stores.ts'
import { openScene } from '../web/live-scene.ts'
import { ANN } from '../web/world.ts'

/** What a person waits for, and what is sent, in a workspace with 2,000 tasks and 1,000 browsers. */
const TASKS = 2_000
const BROWSERS = 1_000
const MINUTE_MS = 60_000
/** Of markup, style and scripts, as sent: on a first visit, and on a further one. */
const FIRST_BYTES_MAX = 100 * 1_024
const AGAIN_BYTES_MAX = 10 * 1_024
const PAINT_MS_MAX = 2_000

const test = suite('the pages with many tasks, in Chromium')
const scene = await openScene()
test.after(scene.close)
const workspaceId = ANN.workspaces[0]?.id ?? ''
const now = Date.now()

for (let n = 0; n < BROWSERS; n++) {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  scene.taskService.sessionsById.set(id, {
    ...{ id, workspaceId, label: `Laptop ${n}`, status: n < 20 ? 'connected' : 'disconnected', state: 'idle' },
    ...{ createdAt: now - n, expiresAt: now + 1_000 * MINUTE_MS, lastHeartbeat: now, keyId: null },
  } as never)
}
for (let n = 0; n < TASKS; n++) {
  const createdAt = now - n * MINUTE_MS
  const record = aTask({ workspaceId, task: `Find the cheapest tea of shop ${n}`, createdAt, status: 'complete' })
  const more = { state: 'closed', answer: 'Green tea, 100 g, at €4.20.', completedAt: createdAt + 40_000, steps: 4 }
  scene.taskService.tasksById.set(record.id, { ...record, ...more })
}

/** A visit: from the address to the first paint, and to what is looked for; and what was sent. */
async function visit(page: Page, path: string, ready: string) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const isData = new Map<string, boolean>()
  const sent = { page: 0, data: 0 }
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
    isData.set(requestId, /\/v1\/|\/picture/.test(request.url)),
  )
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sent[isData.get(requestId) ? 'data' : 'page'] += encodedDataLength
  })
  const at = performance.now()
  await page.goto(`${scene.base}${path}`)
  await page.waitForSelector(ready)
  const readyMs = performance.now() - at
  await page.waitForTimeout(500)
  const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
  const paintMs = Number(await page.evaluate(paint))
  await devtools.detach()
  return { paintMs, readyMs, sent, requests: isData.size }
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_024)} KB`

for (const [name, path, ready] of [
  ['the list', '/dashboard', 'a.task >> nth=49'],
  ['a search', '/dashboard?q=shop+1999', 'a.task'],
  ['the browsers', '/dashboard/browsers', 'text=Laptop 0'],
] as const)
  test(`[P23] ${name}, with ${TASKS} tasks and ${BROWSERS} browsers`, async () => {
    const page = await (await scene.open('/docs/start')).page
    const first = await visit(page, path, ready)
    const again = await visit(page, path, ready)
    for (const [which, { paintMs, readyMs, sent, requests }] of Object.entries({ first, again }))
      console.log(
        `${name}, ${which}: first paint ${Math.round(paintMs)} ms, there after ${Math.round(readyMs)} ms, ${kilobytes(sent.page)} and ${kilobytes(sent.data)} of data in ${requests} requests`,
      )
    assert.ok(first.paintMs <= PAINT_MS_MAX, `first paint after ${first.paintMs} ms`)
    assert.ok(first.sent.page <= FIRST_BYTES_MAX, `${first.sent.page} bytes`)
    assert.ok(again.sent.page <= AGAIN_BYTES_MAX, `${again.sent.page} bytes`)
    await page.close()
  })

test.run()
