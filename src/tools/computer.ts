import { ComputerInput } from '../wire/tools.ts'
import { defineTool } from './tool.ts'

export const computer = defineTool({
  name: 'computer',
  description:
    'Uses the mouse and keyboard in the tab, and takes screenshots. left_click, right_click, double_click, triple_click and hover take a ref (preferred: it is scrolled into view first) or a coordinate. left_click_drag goes from start_coordinate or ref to coordinate. type types text into the focused field (or the field of ref); key presses keys and shortcuts such as "Enter" or "ctrl+a". scroll scrolls the page, or the element at ref or coordinate; scroll_to brings a ref into view. wait waits for a number of seconds. screenshot shows the tab as it is now; zoom shows a region of it larger. Coordinates are pixels of the last screenshot. JavaScript dialogs (alert, confirm, prompt) are answered automatically and reported in the result.',
  input: ComputerInput,
})
