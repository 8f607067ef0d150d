import { SECOND_MS } from '../../../machines/limits.ts'
import { type Approvals, PAIRING_CODE } from '../messages.ts'
import { PANEL, type PanelConnection, type PanelState, type PanelTask, readPanel } from '../panel-state.ts'
import { element, say, tell } from './dom.ts'
import { TaskCard } from './task-card.ts'

/** The side panel: it shows what the worker keeps in storage, and tells the worker what the user wants. */

const WORDS: Readonly<Record<PanelConnection, { className: string; words(state: PanelState): string }>> = {
  unpaired: { className: 'quiet', words: () => 'Not paired with a service' },
  connecting: { className: 'wait', words: ({ origin }) => `Connecting to ${origin} …` },
  connected: {
    className: 'good',
    words: ({ origin, workspace }) => `Connected to ${origin}${workspace === null ? '' : `, workspace ${workspace}`}`,
  },
  waiting: { className: 'bad', words: ({ origin }) => `Cannot reach ${origin}. Reconnecting …` },
  stopped: { className: 'bad', words: ({ origin }) => `Not connected to ${origin}` },
}

const cards = new Map<string, TaskCard>()

function show(state: PanelState): void {
  const { className, words } = WORDS[state.connection]
  element('connection').className = `connection ${className}`
  say('connection', words(state))
  say('notice', state.notice)
  element('unpaired').hidden = state.connection !== 'unpaired'
  element('paired').hidden = state.connection === 'unpaired'
  element('connect').hidden = state.connection !== 'stopped'
  const isRunning = ({ status }: PanelTask) => status === 'running'
  list('running', state.tasks.filter(isRunning))
  list(
    'last',
    state.tasks.filter((task) => !isRunning(task)),
  )
  for (const [taskId, card] of cards) {
    if (state.tasks.some((task) => task.taskId === taskId)) continue
    card.remove()
    cards.delete(taskId)
  }
}

/** Cards are updated in place, so that scroll position and focus are kept. */
function list(id: 'running' | 'last', tasks: readonly PanelTask[]): void {
  element(`${id}-section`).hidden = tasks.length === 0
  const place = element(id)
  tasks.forEach((task, at) => {
    const card = cards.get(task.taskId) ?? new TaskCard(task.taskId, act)
    cards.set(task.taskId, card)
    if (place.children[at] !== card.element) place.insertBefore(card.element, place.children[at] ?? null)
    card.show(task)
  })
}

async function act(message: Parameters<typeof tell>[0]): Promise<void> {
  const error = await tell(message).catch(() => 'The extension is not responding.')
  if (error !== null) say('notice', error)
}

const onSubmit = (id: string, submit: (form: HTMLFormElement) => Promise<void>): void => {
  element<HTMLFormElement>(id).onsubmit = (event) => {
    event.preventDefault()
    void submit(event.currentTarget as HTMLFormElement)
  }
}

const pasted = element<HTMLInputElement>('link')
const service = element<HTMLInputElement>('service')
/** A code alone does not say whose it is. */
const isCode = (): boolean => PAIRING_CODE.test(pasted.value.trim())
pasted.oninput = () => {
  element('address').hidden = !isCode()
}
onSubmit('paste', () => {
  const given = pasted.value.trim()
  const link = isCode() && URL.canParse(service.value) ? `${new URL(service.value).origin}/pair/${given}` : given
  return act({ type: 'paste', link })
})
onSubmit('start', async (form) => {
  const task = element<HTMLTextAreaElement>('task').value.trim()
  const approvals = element<HTMLSelectElement>('approvals').value as Approvals
  const error = await tell({ type: 'start', task, approvals })
  if (error === null) form.reset()
  say('notice', error)
})
element('connect').onclick = () => void act({ type: 'connect' })
element<HTMLTextAreaElement>('task').onkeydown = (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) element<HTMLFormElement>('start').requestSubmit()
}

chrome.storage.session.onChanged.addListener((changes) => {
  const changed = changes[PANEL]
  if (changed?.newValue) show(changed.newValue as PanelState)
})
/** The time of what runs goes on. */
setInterval(() => {
  for (const card of cards.values()) card.tick()
}, SECOND_MS)
readPanel().then(show, () => say('notice', 'The extension is not responding.'))
