import { GetPageTextInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const getPageText = defineTool({
  name: 'get_page_text',
  description:
    'Reads the title, the URL and the visible text of the page, main content first. Frames are included, and so is a PDF that the tab shows; a long text is read by page. Best for articles, tables, results and confirmations, where you need the text and not the controls.',
  input: GetPageTextInput,
})
