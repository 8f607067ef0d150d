import { mount } from './mount.tsx'
import { TaskPage } from './task/page.tsx'
import { TasksPage } from './tasks/page.tsx'

/** The pages of tasks. */
mount({ task: TaskPage, tasks: TasksPage })
