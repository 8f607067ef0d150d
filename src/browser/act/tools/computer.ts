import type { ComputerInput } from '../../../wire/tools.ts'
import { missing } from '../computer/missing.ts'
import { clicked, dragged, hovered, moved, pressedDown, releasedUp } from '../computer/mouse.ts'
import { scrolled, scrolledTo } from '../computer/scrolling.ts'
import { pressed, typed } from '../computer/typing.ts'
import { waited } from '../computer/wait.ts'
import { type Call, readable } from '../page.ts'
import type { Result } from '../result.ts'
import { screenshot, zoom } from '../screenshot.ts'

/** Mouse, keyboard and screenshots. */
export async function computer(call: Call, input: ComputerInput): Promise<Result> {
  switch (input.action) {
    case 'wait':
      return waited(call, input)
    case 'screenshot': {
      const { data, width, height } = await screenshot(call)
      return { said: `Screenshot of ${width} × ${height} pixels.`, content: '', screenshot: data }
    }
    case 'zoom': {
      if (!input.region) throw missing('zoom', 'region')
      const { data } = await zoom(call, input.region)
      const said = `Region [${input.region.join(', ')}], enlarged. Coordinates still mean pixels of the whole screenshot.`
      return { said, content: '', screenshot: data }
    }
    default:
      await readable(call)
      return act(call, input)
  }
}

function act(call: Call, input: ComputerInput): Promise<Result> {
  switch (input.action) {
    case 'left_click':
      return clicked(call, input, 'Clicked', 'left', 1)
    case 'right_click':
      return clicked(call, input, 'Right-clicked', 'right', 1)
    case 'double_click':
      return clicked(call, input, 'Double-clicked', 'left', 2)
    case 'triple_click':
      return clicked(call, input, 'Triple-clicked', 'left', 3)
    case 'hover':
      return hovered(call, input)
    case 'left_click_drag':
      return dragged(call, input)
    case 'left_mouse_down':
      return pressedDown(call, input)
    case 'left_mouse_up':
      return releasedUp(call, input)
    case 'mouse_move':
      return moved(call, input)
    case 'type':
      return typed(call, input)
    case 'key':
      return pressed(call, input)
    case 'scroll':
      return scrolled(call, input)
    default:
      return scrolledTo(call, input)
  }
}
