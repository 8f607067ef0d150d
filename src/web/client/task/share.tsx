import type { Api } from '../api.ts'
import { localTime } from '../format.ts'
import { Button, CopyButton, Failure, Loading, Select } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useRef, useState } from '../view.ts'

interface ShareProps {
  readonly api: Api
  readonly taskId: string
}

const DAY_S = 86_400
const SPANS = [
  [DAY_S, '1 day'],
  [7 * DAY_S, '1 week'],
  [30 * DAY_S, '30 days'],
  [90 * DAY_S, '90 days'],
] as const

/** [V12] The link to the result of a task: asked for when it is opened, made for a time, and ended at once. */
export function ShareButton(props: ShareProps) {
  const [isOpen, setOpen] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => {
    setOpen(true)
    dialog.current?.showModal()
  }
  return (
    <>
      <Button act={open}>Share</Button>
      <dialog ref={dialog} class="share" aria-labelledby="share-title" onClose={() => setOpen(false)}>
        <h2 id="share-title">Share the result</h2>
        {isOpen ? <Link {...props} /> : null}
        <Button act={() => dialog.current?.close()}>Close</Button>
      </dialog>
    </>
  )
}

function Link({ api, taskId }: ShareProps) {
  const path = { id: taskId }
  const { answer, failed, attempt } = useAnswer(() => api.request('GET /v1/tasks/{id}/share', { path }), [api, taskId])
  const [url, setUrl] = useState<string | null>(null)
  const [seconds, setSeconds] = useState<number>(SPANS[1][0])
  if (answer === null) return <Loading failed={failed} />
  const { created_by: by, expires_at: expiresAt } = answer
  const create = async () => {
    setUrl((await api.request('POST /v1/tasks/{id}/share', { path, body: { expires_in_s: seconds } })).url)
  }
  const end = async () => {
    await api.request('DELETE /v1/tasks/{id}/share', { path })
    setUrl(null)
  }
  return (
    <>
      <Failure message={failed} />
      <p>Anyone with the link sees the task, its answer and its output. Steps, pictures, files and cost stay here.</p>
      {url === null ? null : (
        <p class="row">
          <label>
            The link. Copy it now: it is not shown again.
            <input readOnly value={url} />
          </label>
          <CopyButton text={url}>Copy</CopyButton>
        </p>
      )}
      {expiresAt === null ? null : (
        <p role="status">
          A link {by === null ? '' : `by ${by} `}is open until {localTime(expiresAt)}.{' '}
          <Button kind="danger" act={attempt(end)}>
            Turn off link
          </Button>
        </p>
      )}
      <p class="row">
        <Select
          label="Expires in"
          name="expires_in_s"
          value={String(seconds)}
          options={SPANS.map(([value, words]) => [String(value), words])}
          change={(value) => setSeconds(Number(value))}
        />
        <Button act={attempt(create)}>{expiresAt === null ? 'Create link' : 'Create new link'}</Button>
      </p>
    </>
  )
}
