import type { Api } from '../api.ts'
import { localDay } from '../format.ts'
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
        <div class="head">
          <h2 id="share-title">Share the result</h2>
          <Button kind="link" icon="cross" label="Close" act={() => dialog.current?.close()} />
        </div>
        {isOpen ? <Link {...props} /> : null}
        <div class="actions">
          <Button act={() => dialog.current?.close()}>Done</Button>
        </div>
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
  const { expires_at: expiresAt } = answer
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
        <div class="row">
          <label>
            The link. Copy it now: it is not shown again.
            <input readOnly value={url} />
          </label>
          <CopyButton kind="main" text={url}>
            Copy link
          </CopyButton>
        </div>
      )}
      {expiresAt === null ? null : (
        <p class="quiet" role="status">
          Open until {localDay(expiresAt)}{' '}
          <Button kind="link" act={attempt(end)}>
            Turn off
          </Button>
        </p>
      )}
      <div class="row">
        <Select
          label="Expires in"
          name="expires_in_s"
          value={String(seconds)}
          options={SPANS.map(([value, words]) => [String(value), words])}
          change={(value) => setSeconds(Number(value))}
        />
        <Button kind={expiresAt === null ? 'main' : 'plain'} act={attempt(create)}>
          {expiresAt === null ? 'Create link' : 'Replace link'}
        </Button>
      </div>
      {expiresAt === null ? null : <p class="quiet">The old link stops working.</p>}
    </>
  )
}
