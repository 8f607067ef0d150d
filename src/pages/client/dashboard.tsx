import { BrowsersPage, type BrowsersPageProps } from './browsers/page.tsx'
import { byId } from './by-id.ts'
import { showCurrentTab } from './tabs.ts'
import { TaskPage, type TaskPageProps } from './task/page.tsx'
import { TasksPage, type TasksPageProps } from './tasks/page.tsx'
import { render } from './view.ts'
import { EndpointPage, type EndpointPageProps } from './webhooks/endpoint.tsx'
import { WebhooksPage, type WebhooksPageProps } from './webhooks/page.tsx'

/** What the service says in the page: which page it is, and what the API does not tell. */
type Props =
  | ({ readonly page: 'task' } & TaskPageProps)
  | ({ readonly page: 'tasks' } & TasksPageProps)
  | ({ readonly page: 'browsers' } & BrowsersPageProps)
  | ({ readonly page: 'webhooks' } & WebhooksPageProps)
  | ({ readonly page: 'endpoint' } & EndpointPageProps)

function Page(props: Props) {
  switch (props.page) {
    case 'task':
      return <TaskPage {...props} />
    case 'tasks':
      return <TasksPage {...props} />
    case 'browsers':
      return <BrowsersPage {...props} />
    case 'webhooks':
      return <WebhooksPage {...props} />
    case 'endpoint':
      return <EndpointPage {...props} />
  }
}

showCurrentTab()
const root = byId('app')
const props: Props = JSON.parse(root.dataset.props ?? '{}')
// What stood there until now said that the page is being loaded.
root.replaceChildren()
render(<Page {...props} />, root)
