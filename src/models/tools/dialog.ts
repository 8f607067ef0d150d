import { DialogInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const dialog = defineTool({
  name: 'dialog',
  description:
    'Answers the open dialog of the page: a confirmation, a prompt, or the question whether to leave the page. A dialog that is not answered within 10 s is dismissed. Alerts need no answer.',
  input: DialogInput,
})
