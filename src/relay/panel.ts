import type { TaskView } from '../../actors/task-service.ts'
import { wrongAnswer } from '../../machines/input-request.ts'
import { REFUSALS, TO_BROWSER } from '../../machines/texts.ts'
import { PAGE_SIZE_DEFAULT } from '../wire/limits.ts'
import type { ForPanel } from '../wire/relay-panel.ts'
import type { RelayContext } from './relay.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * What a side panel asks of the tasks of its own session, protocol 2: their list, a pause while the user works in the
 * tab, its end, a stop, and the user's answers and messages. A task of another session is as if it did not exist.
 */
export async function answerPanel(
  relay: RelayContext,
  socket: RelaySocket,
  message: ForPanel,
  foreign: boolean,
): Promise<void> {
  const { session, protocol, answersInputs } = socket.data
  if (!session) return
  const { requestId } = message
  const answer = (fields: { type: string; [field: string]: unknown }) =>
    void relay.send(session.id, { ...fields, requestId })
  const refuse = (error: string) => answer({ type: 'error', error })
  if (protocol < 2) return refuse(TO_BROWSER.protocolTooOld)
  if (foreign) return refuse(REFUSALS.session_not_found)
  const { taskService, log } = relay
  try {
    if (message.type === 'list_tasks') {
      const limit = message.limit ?? PAGE_SIZE_DEFAULT
      const page = { workspaceId: session.workspaceId, browserSessionId: session.id, status: null, after: null, limit }
      const tasks = await taskService.tasks(page)
      return answer({ type: 'tasks', tasks: tasks.map((task) => listed(task, answersInputs)) })
    }
    const { type, taskId } = message
    const task = await taskService.task(session.workspaceId, taskId)
    if (task?.browserSessionId !== session.id) return refuse(TO_BROWSER.taskNotFound)
    if (task.status !== 'running') return refuse(TO_BROWSER.taskNotRunning)
    if (type === 'cancel_task') {
      // Its end is told by its `task_complete`, like any other.
      const ended = await taskService.cancelTask(session.workspaceId, taskId, { kind: 'browser', id: session.id })
      return typeof ended === 'string' ? refuse(TO_BROWSER.taskNotRunning) : undefined
    }
    if (type === 'answer_input') {
      const { inputId } = message
      const given = { action: message.action, content: message.content ?? null, forTask: message.for === 'task' }
      const wrong = task.inputRequest?.id === inputId ? wrongAnswer(task.inputRequest, given) : null
      if (wrong) return refuse(wrong.message)
      const outcome = await taskService.answerInput(session.workspaceId, taskId, inputId, given)
      // That it counts is told by its `input_answered`.
      return outcome === 'accepted' ? undefined : refuse(ANSWER_REFUSED[outcome])
    }
    if (type === 'send_message') {
      const said = { text: message.text, interrupt: false }
      const sent = await taskService.sendMessage(session.workspaceId, taskId, said)
      return sent === 'sent' ? answer({ type: 'message_sent', taskId }) : refuse(TO_BROWSER.taskNotRunning)
    }
    const paused = type === 'pause_task'
    const changed = await taskService.pauseTask(session.workspaceId, taskId, paused, 'browser')
    return typeof changed !== 'string'
      ? answer({ type: paused ? 'task_paused' : 'task_resumed', taskId })
      : refuse(TO_BROWSER.taskNotRunning)
  } catch (error) {
    log.error({ sessionId: session.id, err: error }, 'A frame of a side panel was not answered')
    refuse(REFUSALS.internal)
  }
}

const ANSWER_REFUSED = {
  answered: TO_BROWSER.inputAnswered,
  no_request: TO_BROWSER.inputNotFound,
  not_found: TO_BROWSER.taskNotFound,
} as const

const listed = (
  { id, task, status, answer, steps, state, createdAt, completedAt, inputRequest = null, pausedBy = [] }: TaskView,
  answersInputs: boolean,
) => ({
  taskId: id,
  task,
  status,
  answer,
  steps,
  paused: state === 'paused',
  ...(pausedBy.length > 0 ? { pausedBy } : {}),
  createdAt,
  completedAt,
  ...(answersInputs ? { input: inputRequest } : {}),
})
