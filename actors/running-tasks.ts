import type { TaskPage } from './runtime/ports.ts'
import type { TaskService, TaskView } from './task-service.ts'

const PAGE_SIZE = 100

/** The running tasks that a page asks for and all that follow, newest first, read page by page as they are needed. */
export async function* runningTasks(
  taskService: Pick<TaskService, 'tasks'>,
  page: Omit<TaskPage, 'status' | 'limit'>,
): AsyncGenerator<TaskView> {
  let { after } = page
  for (;;) {
    const tasks = await taskService.tasks({ ...page, status: 'running', after, limit: PAGE_SIZE })
    yield* tasks
    if (tasks.length < PAGE_SIZE) return
    after = tasks.at(-1) ?? null
  }
}
