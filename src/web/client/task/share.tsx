import type { Api } from '../api.ts'
import { localTime } from '../format.ts'
import { Button, Failure, Loading, Made, Select } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useState } from '../view.ts'

interface ShareProps {
  readonly api: Api
  readonly taskId: string
}

const DAY_S = 86_400
const SPANS = [
  [DAY_S, 'for a day'],
  [7 * DAY_S, 'for a week'],
  [30 * DAY_S, 'for 30 days'],
  [90 * DAY_S, 'for 90 days'],
] as const

/** [V12] The link to the result of a task: asked for when it is opened, made for a time, and ended at once. */
export function ShareBox(props: ShareProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="share" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Share this result</summary>
      {isOpen ? <Link {...props} /> : null}
    </details>
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
      <p class="quiet">
        Everybody who has the link reads the task, its answer and its output without signing in. Steps, pictures, files
        and cost stay here.
      </p>
      {url === null ? null : (
        <Made label="Link to the result" text={url}>
          <strong>The link.</strong> Copy it now: it is not shown again.
        </Made>
      )}
      {expiresAt === null ? null : (
        <p role="status">
          A link {by === null ? '' : `by ${by} `}is open until {localTime(expiresAt)}.{' '}
          <Button kind="danger" act={attempt(end)}>
            End it now
          </Button>
        </p>
      )}
      <p class="row">
        <Select
          label="Open"
          name="expires_in_s"
          value={String(seconds)}
          options={SPANS.map(([value, words]) => [String(value), words])}
          change={(value) => setSeconds(Number(value))}
        />
        <Button act={attempt(create)}>{expiresAt === null ? 'Create link' : 'Replace the link'}</Button>
      </p>
    </>
  )
}
