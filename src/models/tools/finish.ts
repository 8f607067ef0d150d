import { FinishInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

/** [L23] Ends the task. It never reaches a browser: the service carries it out. */
export const finish = defineTool({
  name: 'finish',
  description:
    'Ends the task with your answer to the user. Call it alone, after the last action has shown its effect. Set success to false when the task was not achieved, for any reason.',
  input: FinishInput,
})
