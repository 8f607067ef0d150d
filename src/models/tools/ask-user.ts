import { AskUserInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

/** [I4] Asks the user. It never reaches a browser: the service waits for the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Asks the user a question and waits for the answer, up to 10 minutes. Only for what neither the task nor the pages can tell you. With takeover, asks the user to do something in the browser that you cannot do, such as signing in.',
  input: AskUserInput,
})
