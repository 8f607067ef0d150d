import { mount } from './mount.tsx'
import { TasksPage } from './tasks/page.tsx'

/** The list of tasks. */
mount({ tasks: TasksPage })
