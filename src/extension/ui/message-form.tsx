import { Failure } from '../../web/client/ui.tsx'
import { useState } from '../../web/client/view.ts'
import { MESSAGE_CHARS_MAX } from '../../wire/limits.ts'
import { tell } from './worker.ts'

/** [I1] Something to say to a task that runs. It stays in the field until the task has it. */
export function MessageForm({ taskId }: { readonly taskId: string }) {
  const [text, setText] = useState('')
  const [failed, setFailed] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const error = await tell({ type: 'say', taskId, text })
    setBusy(false)
    setFailed(error)
    if (error === null) setText('')
  }
  return (
    <form class="message" onSubmit={send}>
      <label>
        Message to the task
        <input
          maxLength={MESSAGE_CHARS_MAX}
          required
          autocomplete="off"
          placeholder="For its next step"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" class="plain" disabled={isBusy}>
        Send
      </button>
      <Failure message={failed} />
    </form>
  )
}
