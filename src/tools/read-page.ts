import { ReadPageInput } from '../wire/tools.ts'
import { defineTool } from './tool.ts'

export const readPage = defineTool({
  name: 'read_page',
  description:
    'Reads the page as an accessibility tree: one line per element with its role, name, state and value, indented by nesting; shadow DOM and frames of the same site are included. Everything that can be clicked or filled in carries a ref such as "e12" for form_input and computer. Use filter "interactive" to see only those, and ref to read one part of a long page. Read again after the page has changed.',
  input: ReadPageInput,
})
