import { FormInputInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const formInput = defineTool({
  name: 'form_input',
  description:
    'Sets the value of a form control by its ref: text field, text area, select, checkbox, radio button, switch, date, time, number, range, colour or an editable region; a video or audio takes play, pause, mute, unmute or a time such as 1:30. Replaces what was there and fires the events that pages listen for. Returns the value that the control has afterwards: compare it with the value you wanted. It does not submit the form.',
  input: FormInputInput,
})
