import { Button } from '../../web/client/ui.tsx'
import type { PanelTask } from '../panel-state.ts'
import type { Act } from './panel.tsx'

interface TaskControlsProps {
  /** Those that run. */
  readonly tasks: readonly PanelTask[]
  readonly act: Act
}

/** [I21] The foot of the side panel, in sight wherever it is scrolled to: to take over and to stop, a line for each task. */
export const TaskControls = ({ tasks, act }: TaskControlsProps) =>
  tasks.length === 0 ? null : (
    <footer class="controls">
      <ul>
        {tasks.map(({ taskId, task, paused }) => (
          <li key={taskId}>
            <span class="words">{task || 'A task'}</span>
            <Button
              icon={paused ? 'play' : 'hand'}
              act={() => act({ type: paused ? 'hand-back' : 'take-over', taskId })}
            >
              {paused ? 'Hand back' : 'Take over'}
            </Button>
            <Button icon="stop" kind="danger" act={() => act({ type: 'stop', taskId })}>
              Stop
            </Button>
          </li>
        ))}
      </ul>
    </footer>
  )
