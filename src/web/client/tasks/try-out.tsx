import { type Api, messageOf, type TaskSummary } from '../api.ts'
import { Button, Failure } from '../ui.tsx'
import { useState } from '../view.ts'

/** A start that the service can do without anything being set up. */
export interface Offer {
  readonly task: string
  readonly url: string
  readonly model: string
}

/** By which the list knows tries from tasks of one's own. */
const MARK = { demo: 'shop' }
export const isTry = ({ metadata }: Pick<TaskSummary, 'metadata'>): boolean => metadata.demo === MARK.demo

interface TryOutProps {
  readonly api: Api
  readonly workspaceId: string
  /** `null`: there is nothing to try here, only a recording to look at. */
  readonly offer: Offer | null
}

/** [P44] What can be seen before anything is set up: a task in the shop of the demo, as often as one likes, and a recording. */
export function TryOut({ api, workspaceId, offer }: TryOutProps) {
  const [isStarting, setStarting] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)
  const start = async () => {
    setFailed(null)
    setStarting(true)
    try {
      const { id } = await api.tasks.create({
        ...offer,
        task: offer?.task ?? '',
        browser: { pool: 'default' },
        metadata: MARK,
      })
      location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
    } catch (error) {
      setFailed(messageOf(error))
      setStarting(false)
    }
  }
  return (
    <div class="try">
      <p>
        {offer === null
          ? 'See first what a task does.'
          : 'See it work first, in a small shop: a script stands for the language model, all else is real.'}
      </p>
      <p class="actions">
        {offer === null ? null : (
          <Button icon="play" act={start}>
            Try it in the shop
          </Button>
        )}
        <a class="button plain" href="/inspector/example">
          Look at a recorded task
        </a>
      </p>
      <p role="status">{isStarting ? 'Starting a browser without a window …' : null}</p>
      <Failure message={failed} />
    </div>
  )
}
