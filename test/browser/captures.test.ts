import * as assert from 'uvu/assert'
import { ShownTabs } from '../../src/browser/shown-tabs.ts'
import type { ExecuteTool } from '../../src/wire/relay.ts'
import { TAKES_PICTURES } from '../../src/wire/relay-live.ts'
import { browserSuite, type Driven } from '../support/driven-browser.ts'
import { eventually } from '../support/eventually.ts'
import { type Corners, cornersOf, decoderIn, MARKED } from '../support/jpegs.ts'

/** So many screenshots are looked at; SCREENSHOTS=200 for a long run. */
const SCREENSHOTS = Number(process.env.SCREENSHOTS ?? 24)

const test = browserSuite('screenshots while others look')

/** Each screenshot is taken by the next of these. The region shows the upper left quarter. */
const WAYS: readonly { input: Record<string, unknown>; corners: Corners }[] = [
  { input: { action: 'left_click', coordinate: [640, 400], look: 'screenshot' }, corners: MARKED },
  { input: { action: 'screenshot' }, corners: MARKED },
  {
    input: { action: 'zoom', region: [0, 0, 640, 400] },
    corners: { topLeft: 'red', topRight: 'white', bottomLeft: 'white', bottomRight: 'grey' },
  },
  { input: { action: 'screenshot' }, corners: MARKED },
]

/** What a browser shows to people, as the relay client has it shown after each call. */
function watched({ tabs }: Driven) {
  const pictures: string[] = []
  const shown = new ShownTabs({
    tabOf: (taskId) => tabs.protocolOf(taskId),
    send(frame) {
      pictures.push((frame as { jpeg: string }).jpeg)
      return true
    },
  })
  shown.heard({ type: 'registered', takes: [TAKES_PICTURES] } as never)
  shown.heard({ type: 'live_start', taskId: 'task' } as never)
  return { pictures, shown }
}

test(`[G31] ${SCREENSHOTS} screenshots right after actions are of the whole page, with its own pictures and the live view on`, async (driven) => {
  const { run, open, browser } = driven
  await open('/marked')
  const { pictures, shown } = watched(driven)
  const decode = await decoderIn(browser)
  const wrong: string[] = []
  try {
    for (let taken = 0; taken < SCREENSHOTS; taken += 1) {
      const click = { action: 'left_click', coordinate: [600 + (taken % 80), 400] }
      await run('computer', click)
      shown.after(
        {
          taskId: 'task',
          requestId: String(taken),
          tool: 'computer',
          input: click,
        } as unknown as ExecuteTool,
        String(taken),
      )
      const { input, corners } = WAYS[taken % WAYS.length] as (typeof WAYS)[number]
      const { screenshot } = await run('computer', input)
      const { width, height, ...found } = await cornersOf(decode, screenshot ?? '')
      const isRight = JSON.stringify(found) === JSON.stringify(corners) && width === 1280 && height === 800
      if (!isRight) wrong.push(`${taken} ${input.action}: ${width} × ${height} ${JSON.stringify(found)}`)
    }
    await eventually(() => pictures.length > SCREENSHOTS / 4, 'pictures for people')
  } finally {
    shown.lost()
  }
  assert.equal(wrong, [])
  const last = await cornersOf(decode, pictures.at(-1) ?? '')
  assert.ok(last.width <= 960, 'a picture for people is small')
  assert.is(Math.round((last.width / last.height) * 100), 160)
})

await test.run()
