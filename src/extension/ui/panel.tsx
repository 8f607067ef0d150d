import { Button, Failure } from '../../web/client/ui.tsx'
import { render, useEffect, useState } from '../../web/client/view.ts'
import type { PanelConnection, PanelState, PanelTask } from '../panel-state.ts'
import { PairForm } from './pair-form.tsx'
import { StartForm } from './start-form.tsx'
import { TaskCard } from './task-card.tsx'
import { TaskControls } from './task-controls.tsx'
import { rootOf, tell, usePanel } from './worker.ts'

const WORDS: Readonly<Record<PanelConnection, { className: string; words(state: PanelState): string }>> = {
  unpaired: { className: 'quiet', words: () => 'Not paired with a service' },
  connecting: { className: 'wait', words: ({ origin }) => `Connecting to ${origin} …` },
  connected: {
    className: 'good',
    words: ({ origin, workspace }) => `Connected to ${origin}${workspace === null ? '' : `, workspace ${workspace}`}`,
  },
  waiting: { className: 'bad', words: ({ origin }) => `Cannot reach ${origin}. Reconnecting …` },
  stopped: { className: 'bad', words: ({ origin }) => `Not connected to ${origin}` },
}

/** The side panel: it shows what the worker keeps in storage, and tells the worker what the user wants. */
function Panel() {
  const state = usePanel()
  const [failed, setFailed] = useState<string | null>(null)
  const [continues, setContinues] = useState<PanelTask | null>(null)
  const isConnected = state?.connection === 'connected'
  // Elsewhere a task may have been paused: the service's list says so.
  useEffect(() => {
    if (isConnected) void tell({ type: 'refresh' })
  }, [isConnected])
  if (state === null) return <main />
  const { className, words } = WORDS[state.connection]
  const act: Act = async (message) => {
    const error = await tell(message)
    setFailed(error)
    return error
  }
  const running = state.tasks.filter(({ status }) => status === 'running')
  const ended = state.tasks.filter(({ status }) => status !== 'running')
  return (
    <>
      <main>
        <h1>Browser tasks</h1>
        <p class={`connection ${className}`} role="status">
          {words(state)}
        </p>
        <Failure message={failed ?? state.notice} />
        <Tasks title="Running now" tasks={running} act={act} origin={state.origin} />
        {state.connection === 'unpaired' ? (
          <PairForm act={act} />
        ) : (
          <StartForm continues={continues} setContinues={setContinues} />
        )}
        {state.connection === 'stopped' ? <Button act={() => act({ type: 'connect' })}>Reconnect</Button> : null}
        <Tasks title="Recent tasks" tasks={ended} act={act} origin={state.origin} goOn={setContinues} />
        <p class="quiet">
          <a href="options.html" target="_blank" rel="noreferrer">
            Options: sites, pairing
          </a>
        </p>
      </main>
      <TaskControls tasks={running} act={act} />
    </>
  )
}

export type Act = (message: Parameters<typeof tell>[0]) => Promise<string | null>

interface TasksProps {
  readonly title: string
  readonly tasks: readonly PanelTask[]
  readonly origin: string | null
  readonly act: Act
  goOn?(task: PanelTask): void
}

const Tasks = ({ title, tasks, ...more }: TasksProps) =>
  tasks.length === 0 ? null : (
    <section aria-label={title}>
      <h2>{title}</h2>
      {tasks.map((task) => (
        <TaskCard key={task.taskId} task={task} {...more} />
      ))}
    </section>
  )

render(<Panel />, rootOf())
