import { ComputerInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const computer = defineTool({
  name: 'computer',
  description:
    'Uses mouse and keyboard in the tab, and looks at it. left_click, right_click, double_click, triple_click and hover take a ref (preferred: it is scrolled into view first) or a coordinate. left_click_drag goes from start_coordinate or ref to coordinate or to_ref; left_mouse_down, mouse_move and left_mouse_up make a drag of your own. type types text into the focused field (or the field of ref) and answers what it holds then; clear replaces what is there; key presses keys and shortcuts such as "Enter" or "ctrl+a". scroll scrolls the page, or what is at ref or coordinate, and says how far; scroll_to brings a ref into view. wait waits some seconds, or for a text to come (text) or to go (gone). screenshot shows the tab as it is now; zoom shows a region of it larger. Coordinates are pixels of the last screenshot. An action waits until its target is ready and until the page has come to rest; the answer shows what changed.',
  input: ComputerInput,
})
