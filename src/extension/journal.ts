import type { ToBrowser } from '../wire/relay.ts'
import type { ListedTask } from '../wire/relay-panel.ts'
import { wordsFor } from '../wire/tool-words.ts'
import { PANEL_STEPS_MAX, PANEL_TASKS_MAX, THUMBNAILS_PER_TASK_MAX } from './limits.ts'
import { PANEL, type PanelState, type PanelStep, type PanelTask, readPanel } from './panel-state.ts'

const THUMBNAIL = 'thumbnail:'
type Changed = (state: PanelState) => void

/**
 * What has happened in this browser, for the panel: connection, tasks, steps, small pictures. It is kept in
 * `chrome.storage.session`, so that a worker that starts again goes on where the last one was stopped.
 */
export class Journal {
  readonly #area: chrome.storage.StorageArea
  readonly #changed: Changed
  #state: Promise<PanelState>
  #saving: Promise<void> = Promise.resolve()
  #thumbnails = 0

  /** `changed` is called with every state, including the first. */
  constructor(area: chrome.storage.StorageArea, changed: Changed) {
    this.#area = area
    this.#changed = changed
    this.#state = readPanel()
    this.#state.then(changed, () => {})
  }

  state = (): Promise<PanelState> => this.#state

  /** Once pages of the extension can read all that has been heard. */
  async saved(): Promise<void> {
    await this.#state
    await this.#saving
  }

  task = async (taskId: string): Promise<PanelTask | null> =>
    (await this.#state).tasks.find((task) => task.taskId === taskId) ?? null

  note(fields: Partial<Omit<PanelState, 'tasks'>>): void {
    this.#change((state) => ({ ...state, ...fields }))
  }

  setPaused(taskId: string, paused: boolean): void {
    this.#changeTask(taskId, (task) => ({ ...task, paused }))
  }

  /** The user has said something to a task. */
  said(taskId: string, text: string): void {
    const step: PanelStep = { words: text, state: 'said', thumbnail: null }
    this.#changeTask(taskId, (task) => ({ ...task, steps: [...task.steps, step].slice(-PANEL_STEPS_MAX) }))
  }

  /** What the service says of tasks. */
  heard(frame: ToBrowser): void {
    switch (frame.type) {
      case 'task_started':
        this.#begin(frame.taskId, frame.task ?? '')
        break
      case 'task_update':
        this.#changeTask(frame.taskId, (task) => updated(task, frame.step))
        break
      case 'task_complete':
        this.#end(frame.taskId, frame.status, frame.answer)
        break
      case 'task_error':
        if (frame.taskId !== undefined) this.#end(frame.taskId, 'error', frame.error)
        break
      case 'input_requested':
        this.#changeTask(frame.taskId, (task) => ({ ...task, input: frame.request }))
        break
      case 'input_answered':
        this.#changeTask(frame.taskId, (task) => (task.input?.id === frame.inputId ? { ...task, input: null } : task))
        break
      case 'pause_changed': {
        const pausedElsewhere = frame.pausedBy.includes('client')
        this.#changeTask(frame.taskId, (task) => ({ ...task, pausedElsewhere }))
        break
      }
      case 'tasks':
        this.#listed(frame.tasks)
    }
  }

  /** A thumbnail of what the task sees. It belongs to the current step, so the next step waits until it is stored. */
  seen(taskId: string, jpeg: string): void {
    const key = `${THUMBNAIL}${taskId}:${Date.now()}:${this.#thumbnails++}`
    this.#change(async (state) => {
      const task = state.tasks.find((each) => each.taskId === taskId)
      if (!task || task.steps.length === 0) return state
      await this.#area.set({ [key]: jpeg })
      const seen = { ...task, steps: withThumbnail(task.steps, key) }
      return { ...state, tasks: state.tasks.map((each) => (each === task ? seen : each)) }
    })
  }

  /** The tasks of an ended pairing are not shown in the next one. */
  clear(): void {
    this.#change((state) => ({ ...state, tasks: [] }))
  }

  #begin(taskId: string, task: string): void {
    this.#change((state) => {
      if (state.tasks.some((each) => each.taskId === taskId)) return state
      const begun = { ...EMPTY, taskId, task, startedAt: Date.now() }
      return { ...state, notice: null, tasks: [begun, ...state.tasks].slice(0, PANEL_TASKS_MAX) }
    })
  }

  #end(taskId: string, status: 'complete' | 'error', answer: string | null): void {
    this.#changeTask(taskId, (task) => ({
      ...task,
      status,
      answer,
      paused: false,
      input: null,
      endedAt: task.endedAt ?? Date.now(),
    }))
  }

  /** The service's list is right; the steps of what happened here are known here alone. */
  #listed(listed: readonly ListedTask[]): void {
    this.#change((state) => ({
      ...state,
      tasks: listed.slice(0, PANEL_TASKS_MAX).map(({ createdAt, completedAt, steps: _, input = null, ...said }) => {
        const known = state.tasks.find(({ taskId }) => taskId === said.taskId)
        const { pausedBy = [], ...fields } = said
        const paused = said.status === 'running' && (known?.paused ?? pausedBy.includes('browser'))
        const pausedElsewhere = pausedBy.includes('client')
        const times = { startedAt: createdAt, endedAt: completedAt }
        return { ...EMPTY, ...known, ...fields, ...times, input, paused, pausedElsewhere }
      }),
    }))
  }

  #changeTask(taskId: string, change: (task: PanelTask) => PanelTask): void {
    this.#change((state) => ({
      ...state,
      tasks: state.tasks.map((task) => (task.taskId === taskId ? change(task) : task)),
    }))
  }

  /** What fails changes nothing. */
  #change(change: (state: PanelState) => PanelState | Promise<PanelState>): void {
    this.#state = this.#state.then(async (before) => {
      const state = await Promise.resolve(before)
        .then(change)
        .catch(() => before)
      if (state === before) return state
      this.#changed(state)
      const kept = thumbnailsIn(state)
      const dropped = thumbnailsIn(before).filter((key) => !kept.includes(key))
      this.#saving = this.#saving
        .then(async () => {
          await this.#area.set({ [PANEL]: state })
          if (dropped.length > 0) await this.#area.remove(dropped)
        })
        .catch(() => {})
      return state
    })
  }
}

const EMPTY: Omit<PanelTask, 'taskId' | 'task' | 'startedAt'> = {
  ...{ status: 'running', paused: false, pausedElsewhere: false, input: null },
  ...{ answer: null, steps: [], endedAt: null },
}

function updated(
  task: PanelTask,
  { tool, input, status }: { tool: string | null; input: unknown; status: string },
): PanelTask {
  if (status === 'tool_use') {
    const step: PanelStep = { words: wordsFor(tool, input), state: 'doing', thumbnail: null }
    return { ...task, steps: [...task.steps, step].slice(-PANEL_STEPS_MAX) }
  }
  const state = status === 'tool_error' ? 'failed' : 'done'
  return { ...task, steps: task.steps.map((step) => (step.state === 'doing' ? { ...step, state } : step)) }
}

/** With this picture at the last step; of older pictures only the newest stay. */
function withThumbnail(steps: readonly PanelStep[], thumbnail: string): PanelStep[] {
  let left = THUMBNAILS_PER_TASK_MAX
  const newestFirst = steps.map((step, at) => (at === steps.length - 1 ? { ...step, thumbnail } : step)).reverse()
  return newestFirst
    .map((step) => (step.thumbnail === null || left-- > 0 ? step : { ...step, thumbnail: null }))
    .reverse()
}

const thumbnailsIn = ({ tasks }: PanelState): string[] =>
  tasks.flatMap(({ steps }) => steps.flatMap(({ thumbnail }) => thumbnail ?? []))
