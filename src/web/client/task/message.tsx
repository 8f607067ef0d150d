import { type Api, messageOf } from '../api.ts'
import { Button, Failure } from '../ui.tsx'
import { useState } from '../view.ts'

/** [I1] Something to say to a task that runs. */
export function MessageBox({ taskId, api }: { readonly taskId: string; readonly api: Api }) {
  const [text, setText] = useState('')
  const [failed, setFailed] = useState<string | null>(null)
  const send = async () => {
    setFailed(null)
    await api.tasks.message(taskId, text).then(
      () => setText(''),
      (error) => setFailed(messageOf(error)),
    )
  }
  return (
    <div class="message">
      <label for="message">Message to the task</label>
      <div class="row">
        <textarea
          id="message"
          rows={1}
          maxLength={10_000}
          value={text}
          placeholder="Read before the next step"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button icon="chat" disabled={text.trim() === ''} act={send}>
          Send
        </Button>
      </div>
      <Failure message={failed} />
    </div>
  )
}
