import { byId } from './format.ts'
import { TaskPage, type TaskPageProps } from './task/page.tsx'
import { TasksPage, type TasksPageProps } from './tasks/page.tsx'
import { render } from './view.ts'

/** What the service says in the page: which page it is, and what the API does not tell. */
type Props = ({ readonly page: 'task' } & TaskPageProps) | ({ readonly page: 'tasks' } & TasksPageProps)

const root = byId('app')
const props: Props = JSON.parse(root.dataset.props ?? '{}')
// What stood there until now said that the page is being loaded.
root.replaceChildren()
render(props.page === 'task' ? <TaskPage {...props} /> : <TasksPage {...props} />, root)
