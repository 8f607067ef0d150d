import { byId } from './by-id.ts'
import { keepDrawing } from './inspector/drawings.ts'
import { explain } from './inspector/explanation.ts'
import { Inspector, type InspectorProps } from './inspector/live.tsx'
import { Replay, type ReplayProps } from './inspector/replay.tsx'
import { render } from './view.ts'

/** What the service says in the page: which page it is, and what is asked of it. */
type Props = ({ readonly page: 'replay' } & ReplayProps) | ({ readonly page: 'inspector' } & InspectorProps)

const root = byId('app')
const props: Props = JSON.parse(root.dataset.props ?? '{}')
const drawing = root.querySelector<SVGElement>('[data-kind] svg')
if (drawing) keepDrawing(drawing.closest<HTMLElement>('[data-kind]')?.dataset.kind ?? '', drawing)
explain(root)
// What stood there until now said that the page is being loaded.
root.replaceChildren()
render(props.page === 'replay' ? <Replay {...props} /> : <Inspector {...props} />, root)
