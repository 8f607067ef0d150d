import { NoteInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

/** It never reaches a browser: the service carries it out. */
export const note = defineTool({
  name: 'note',
  description:
    'Keeps words for you: what you read is shortened later, a note stays whole. For figures and names that your answer needs.',
  input: NoteInput,
})
