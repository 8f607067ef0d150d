import { messageOf, openApi } from '../api.ts'
import { StopButton } from '../task/stop-button.tsx'
import { Button, Failure } from '../ui.tsx'
import { useState } from '../view.ts'

interface TaskActionsProps {
  readonly workspaceId: string
  readonly taskId: string
  /** It has ended. */
  readonly isOver: boolean
  /** It waits for an answer of its user. */
  readonly isAsking: boolean
  /** A client holds it. */
  readonly isPaused: boolean
  /** Whether the viewer may pause and stop it. */
  readonly mayAct: boolean
}

/** What can be done with a task now. */
export function TaskActions({ workspaceId, taskId, isOver, isAsking, isPaused, mayAct }: TaskActionsProps) {
  const [refused, setRefused] = useState<string | null>(null)
  const { tasks } = openApi(workspaceId)
  const attempt = (act: () => Promise<unknown>) => () => {
    setRefused(null)
    return act().catch((error) => setRefused(messageOf(error)))
  }
  if (isOver)
    return (
      <p class="actions">
        <a class="button main" href={`/inspector?task=${taskId}`}>
          Replay
        </a>
      </p>
    )
  if (!mayAct) return null
  return (
    <>
      <div class="actions">
        {isPaused ? (
          <Button icon="play" kind="main" act={attempt(() => tasks.resume(taskId))}>
            Resume
          </Button>
        ) : isAsking ? (
          <a class="button main" href={`/dashboard/tasks/${taskId}?workspace=${workspaceId}`}>
            Answer
          </a>
        ) : (
          <Button icon="pause" act={attempt(() => tasks.pause(taskId))}>
            Pause
          </Button>
        )}
        <StopButton stop={attempt(() => tasks.cancel(taskId))} />
      </div>
      <Failure message={refused} />
    </>
  )
}
