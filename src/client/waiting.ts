import type { Http } from './http.ts'
import { Inputs } from './inputs.ts'
import { pause } from './retry.ts'
import type { StreamedEvent, Task, Tasks, WaitOptions } from './tasks.ts'

const WAIT_S = 30
/** What is answered sooner than this was not waited for. */
const AT_ONCE_MS = 1_000
const ASK_AGAIN_MS = 500
const ASK_AGAIN_MS_MAX = 8_000

/** The task once it has ended, or needs an answer that `onInput` does not give. */
export function waitForTask(http: Http, tasks: Tasks, id: string, options: WaitOptions): Promise<Task> {
  return answering(tasks, id, options, async (needsAnswer, signal) => {
    const patience = http.patience()
    const fetch = http.fetchWith(patience)
    let sooner = 0
    for (let since: number | undefined; ; ) {
      const askedAt = performance.now()
      const params = { path: { id }, query: { wait_s: WAIT_S, ...(since === undefined ? {} : { since }) } }
      const task = await http.result(http.api.GET('/v1/tasks/{id}', { params, signal, fetch }))
      if (task.status !== 'running' || needsAnswer(task)) return task
      patience.progressed()
      since = task.seq
      // A service of an earlier version does not wait while the task waits for its user.
      sooner = performance.now() - askedAt < AT_ONCE_MS ? sooner + 1 : 0
      if (sooner > 0) await pause(Math.min(ASK_AGAIN_MS * 2 ** (sooner - 1), ASK_AGAIN_MS_MAX), signal)
    }
  })
}

/** The same by the events of the task, each of which the caller is told. */
export function followTask(
  tasks: Tasks,
  id: string,
  onEvent: (event: StreamedEvent) => unknown,
  options: WaitOptions,
): Promise<Task> {
  return answering(tasks, id, options, async (needsAnswer, signal) => {
    for await (const event of tasks.events(id, { signal })) {
      await onEvent(event)
      if (event.type !== 'input.requested') continue
      const task = await tasks.get(id, { signal })
      if (needsAnswer(task)) return task
    }
    signal.throwIfAborted()
    return tasks.get(id, { signal })
  })
}

/** Follows a task while `onInput` answers what it asks. */
async function answering(
  tasks: Tasks,
  id: string,
  { signal, onInput }: WaitOptions,
  follow: (needsAnswer: (task: Task) => boolean, signal: AbortSignal) => Promise<Task>,
): Promise<Task> {
  const inputs = onInput && new Inputs(onInput, (request, answer) => tasks.answer(id, request.id, answer))
  const needsAnswer = ({ state, input_request: request }: Task): boolean => {
    if (state !== 'waitingForInput') return false
    if (request) inputs?.put(request)
    return inputs === undefined
  }
  try {
    return await follow(needsAnswer, AbortSignal.any([signal, inputs?.failed].filter((given) => given !== undefined)))
  } finally {
    inputs?.end()
  }
}
