import { showCurrentTab } from './tabs.ts'
import { type ComponentType, render } from './view.ts'

/** Shows the page that the service names, with what it says of its reader and the API does not tell. */
export function mount(pages: Readonly<Record<string, ComponentType<never>>>): void {
  showCurrentTab()
  const root = document.getElementById('app')
  const { page = '', ...props } = JSON.parse(root?.dataset.props ?? '{}')
  const Page = pages[page] as ComponentType<object> | undefined
  if (!root || !Page) return
  // What stood there until now said that the page is being loaded.
  root.replaceChildren()
  render(<Page {...props} />, root)
}
