import { TabsInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const tabs = defineTool({
  name: 'tabs',
  description:
    'Lists the tabs of this task, opens one, switches to another or closes one. All other tools work in the present tab. A window that a click opens becomes the present tab; others are listed.',
  input: TabsInput,
})
