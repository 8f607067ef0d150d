import type { OutgoingFrame } from '../../../actors/runtime/ports.ts'
import { HOLDS } from '../../../machines/held.ts'
import type { ReleaseInput } from '../../../src/wire/held.ts'
import { anOrder } from '../held.ts'
import { aScene, calling, type SceneBrowser, type StartFields, settled } from '../scene.ts'

export const click = ['computer', { action: 'left_click', ref: 'e12' }] as const
/** What the browser answers when it has let go. */
export const RELEASED = { output: 'Ordered.', said: 'Ordered.' }

/** A browser that holds the order that a click causes, and lets go of it under the terms that were approved. */
function holding(browser: SceneBrowser) {
  const shop = { total: '52.50', orders: [] as string[], failed: 0, holds: 0 }
  const hold = () => ({ held: anOrder(shop.total, { id: `hold ${++shop.holds}` }) })
  browser.result = (frame: OutgoingFrame) => {
    if (frame.tool === 'computer') return frame.approvals ? hold() : {}
    if (frame.tool !== 'release') return {}
    const { action, terms } = frame.input as ReleaseInput
    if (action === 'decline') {
      shop.failed++
      return { output: 'Dropped.' }
    }
    if (terms !== anOrder(shop.total).terms) return hold()
    shop.orders.push(shop.total)
    return RELEASED
  }
  return shop
}

/** A task whose model asks for the click on "Buy now". */
export async function atCheckout(
  fields: StartFields = { approvals: 'irreversible' },
  tools: readonly string[] = [HOLDS],
) {
  const scene = await aScene()
  const browser = scene.browser()
  browser.disconnect()
  browser.tools = tools
  browser.connect()
  const shop = holding(browser)
  const id = await scene.task(browser, fields)
  scene.model.answer(calling(click, ['navigate', { url: 'https://shop.example/thanks' }]))
  await settled()
  return { scene, browser, id, shop }
}
/** The tools of all calls that the browser was sent. */
export const toolsOf = (browser: SceneBrowser) => browser.of('mcp_execute_tool').map(({ tool }) => tool)
