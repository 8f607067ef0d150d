import { ReadPageInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const readPage = defineTool({
  name: 'read_page',
  description:
    'Reads the page as a tree: one line per element or text, with its role, name, state and value, indented by nesting; shadow DOM and frames are included. Everything that can be used carries a ref such as "e12" ("f2e17" in a frame) for form_input and computer. The cells of a table row are in one line, separated by |. Addresses of links are relative to that of the page: ?…id=…&tab=2 has its parameters up to id. Lines that are new since you last looked begin with *. Use filter "interactive" to see only what can be used; on a long page the answer begins with what is in view: page reads the rest, ref reads one part or section.',
  input: ReadPageInput,
})
