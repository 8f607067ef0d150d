import { JavascriptToolInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const javascriptTool = defineTool({
  name: 'javascript_tool',
  description:
    'Runs JavaScript in the page and returns the value of the last expression as text (objects as JSON); errors are returned as text. Use it to read data that the other tools do not show, not to bypass what the page allows a user to do.',
  input: JavascriptToolInput,
})
