import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Cdp } from '../../src/browser/act/cdp.ts'
import { LiveInputs } from '../../src/browser/live-input.ts'
import type { LiveInput } from '../../src/wire/live.ts'
import { eventually } from '../support/eventually.ts'

const test = suite('clicks and keys over the live view')

/** What arrives at a tab of 200 × 100 pixels. */
function openTab() {
  const mouse: object[] = []
  const send = async (method: string, { type, x, y, button, buttons }: Record<string, unknown> = {}) => {
    if (method === 'Page.getLayoutMetrics') return { cssVisualViewport: { clientWidth: 200, clientHeight: 100 } }
    mouse.push([type, x, y, button, buttons])
    return {}
  }
  return { mouse, inputs: new LiveInputs((taskId) => (taskId === 'a' ? ({ send } as unknown as Cdp) : null)) }
}
const mouse = (action: 'move' | 'down' | 'up', x: number, button?: 'right'): LiveInput => ({
  ...{ type: 'mouse', action, x, y: 0.5 },
  ...(button ? { button } : {}),
})

test('[R59] a move with a button down drags, also when it comes in a later request; other tasks have other hands', async () => {
  const tab = openTab()
  tab.inputs.play('b', [mouse('down', 0, 'right')])
  tab.inputs.play('a', [mouse('move', 0), mouse('down', 0)])
  tab.inputs.play('a', [mouse('move', 0.5)])
  tab.inputs.play('a', [mouse('up', 1), mouse('move', 1)])
  await eventually(() => tab.mouse.length >= 5, 'five events')
  assert.equal(tab.mouse, [
    ['mouseMoved', 0, 50, 'none', 0],
    ['mousePressed', 0, 50, 'left', 1],
    ['mouseMoved', 100, 50, 'left', 1],
    ['mouseReleased', 200, 50, 'left', 0],
    ['mouseMoved', 200, 50, 'none', 0],
  ])
})

test.run()
