import { type Api, type BrowserSession, messageOf } from '../api.ts'
import { Failure } from '../ui.tsx'
import { useState } from '../view.ts'

interface StartProps {
  readonly api: Api
  readonly workspaceId: string
  readonly browsers: readonly BrowserSession[]
  readonly charsMax: number
  readonly isNew: boolean
}

const EXAMPLE = 'Find out what the weather will be like in Lisbon tomorrow.'

export const nameOf = ({ label, id }: Pick<BrowserSession, 'label' | 'id'>): string =>
  label ?? `Browser ${id.slice(0, 8)}`

/** Starts a task. What was typed stays when the start is refused, and while browsers come and go. */
export function StartForm({ api, workspaceId, browsers, charsMax, isNew }: StartProps) {
  const [task, setTask] = useState('')
  const [url, setUrl] = useState('')
  const [browser, setBrowser] = useState<string | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const connected = browsers.filter(({ status }) => status === 'connected')
  const chosen = connected.find(({ id }) => id === browser) ?? connected[0]

  const start = async (event: Event) => {
    event.preventDefault()
    if (!chosen) return
    setBusy(true)
    setFailed(null)
    try {
      const { id } = await api.tasks.create({ task, ...(url === '' ? {} : { url }), browser_session_id: chosen.id })
      location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
    } catch (error) {
      setFailed(messageOf(error))
      setBusy(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit()
  }
  return (
    <section aria-labelledby="start-title">
      <h2 id="start-title" class={isNew ? 'hidden' : ''}>
        New task
      </h2>
      <form class="start" onSubmit={start}>
        <label>
          What should be done?
          <textarea
            name="task"
            rows={2}
            maxLength={charsMax}
            required
            value={task}
            placeholder={EXAMPLE}
            onInput={({ currentTarget }) => setTask(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        <div class="row">
          <label>
            Start page (optional)
            <input
              name="url"
              type="url"
              placeholder="https://…"
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          </label>
          <label>
            Browser
            <select
              name="browser"
              disabled={connected.length === 0}
              value={chosen?.id ?? ''}
              onChange={({ currentTarget }) => setBrowser(currentTarget.value)}
            >
              {connected.length === 0 ? <option value="">No browser is connected</option> : null}
              {connected.map((each) => (
                <option key={each.id} value={each.id}>
                  {nameOf(each)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="main" disabled={isBusy || !chosen}>
            Start
          </button>
        </div>
        <Failure message={failed} />
      </form>
    </section>
  )
}
