import { render, useEffect } from '../../web/client/view.ts'
import { Request } from './request.tsx'
import { rootOf, usePanel } from './worker.ts'

const given = new URL(location.href).searchParams
const taskId = given.get('task') ?? ''
const inputId = given.get('input') ?? ''

/** [I9] The window with an action to be approved. It is gone when there is nothing to answer any more. */
function InputWindow() {
  const panel = usePanel()
  const task = panel?.tasks.find((each) => each.taskId === taskId)
  const request = task?.input?.id === inputId ? task.input : null
  const isOver = panel !== null && request === null
  useEffect(() => {
    if (isOver) window.close()
  }, [isOver])
  return (
    <main>
      <h1>Approve an action?</h1>
      <p class="quiet">A task in this browser waits for your answer:</p>
      {task && request ? (
        <>
          <p class="service">{task.task || 'A task'}</p>
          <Request taskId={taskId} request={request} />
        </>
      ) : null}
    </main>
  )
}

render(<InputWindow />, rootOf())
