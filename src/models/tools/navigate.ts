import { NavigateInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const navigate = defineTool({
  name: 'navigate',
  description:
    'Opens an address in the tab of this task, or goes back or forward in its history, waits until the page has loaded, and returns the final URL, the title and what can be clicked or filled in. Only http and https pages can be opened. Element references (refs) from before the navigation are no longer valid.',
  input: NavigateInput,
})
