import { ExtractInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

/** It never reaches a browser: the service carries it out. */
export const extract = defineTool({
  name: 'extract',
  description:
    'Has the text of the page, or of all its pages, read for you, and returns what you asked for: cheaper than reading a long text yourself. Says which values are not on the page as they stand.',
  input: ExtractInput,
})
