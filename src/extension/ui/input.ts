import { PANEL, type PanelState, readPanel } from '../panel-state.ts'
import { element, say, tell } from './dom.ts'
import { InputForm } from './input-form.ts'

/** [I9] The window with an action to be approved. It is gone when there is nothing to answer any more. */

const given = new URL(location.href).searchParams
const taskId = given.get('task') ?? ''
const inputId = given.get('input') ?? ''

const form = new InputForm(taskId, async (message) => {
  const error = await tell(message).catch(() => 'The extension is not responding.')
  if (error !== null) say('error', error)
})
element('request').append(form.element)

function show({ tasks }: PanelState): void {
  const task = tasks.find((each) => each.taskId === taskId)
  if (task?.input?.id !== inputId) window.close()
  else {
    say('task', task.task || 'A task')
    form.show(task.input)
  }
}

chrome.storage.session.onChanged.addListener((changes) => {
  const changed = changes[PANEL]
  if (changed?.newValue) show(changed.newValue as PanelState)
})
readPanel().then(show, () => say('error', 'The extension is not responding.'))
