import { mount } from './mount.tsx'
import { TaskPage } from './task/page.tsx'

/** The page of a task. */
mount({ task: TaskPage })
