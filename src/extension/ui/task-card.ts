import { SECOND_MS } from '../../../machines/limits.ts'
import type { FromOwnPage } from '../messages.ts'
import type { PanelStep, PanelTask } from '../panel-state.ts'
import { make } from './dom.ts'
import { InputForm } from './input-form.ts'

type Act = (message: FromOwnPage) => Promise<void>

const MARKS = { doing: '…', done: '✓', failed: '✗' } as const
const SPOKEN = { doing: 'under way', done: 'done', failed: 'failed' } as const
/** Of what runs, the last steps are in sight; the others are one click away. */
const STEPS_SHOWN = 4

/** One task: its text, status, steps with pictures and answer, and what the user can do about it. */
export class TaskCard {
  readonly element = make('article', { className: 'task' })
  readonly #status = make('p')
  readonly #answer = make('p', { className: 'answer' })
  readonly #recent = make('ol', { className: 'steps' })
  readonly #older = make('ol', { className: 'steps' })
  readonly #olderBox: HTMLDetailsElement
  readonly #olderTitle = make('summary')
  readonly #title = make('h3')
  readonly #buttons = make('div', { className: 'buttons' })
  readonly #hold: HTMLButtonElement
  readonly #input: InputForm
  readonly #taskId: string
  #task: PanelTask | null = null

  constructor(taskId: string, act: Act) {
    this.#taskId = taskId
    this.#input = new InputForm(taskId, act)
    this.#title.id = `title-${taskId}`
    this.element.setAttribute('aria-labelledby', this.#title.id)
    this.#status.setAttribute('role', 'status')
    this.#olderBox = make('details', {}, this.#olderTitle, this.#older)
    this.#hold = this.#button('Take over', () =>
      act({ type: this.#task?.paused ? 'hand-back' : 'take-over', taskId: this.#taskId }),
    )
    this.#buttons.append(
      this.#hold,
      this.#button('Stop', () => act({ type: 'stop', taskId })),
      this.#button('Show tab', () => act({ type: 'show', taskId })),
    )
    this.element.append(
      this.#title,
      this.#status,
      this.#input.element,
      this.#answer,
      this.#olderBox,
      this.#recent,
      this.#buttons,
    )
  }

  remove(): void {
    this.element.remove()
  }

  show(task: PanelTask): void {
    const before = this.#task
    this.#task = task
    setText(this.#title, task.task || 'A task')
    this.tick()
    setText(this.#answer, task.answer ?? '')
    this.#answer.hidden = task.answer === null
    this.#input.show(task.status === 'running' ? task.input : null)
    this.#buttons.hidden = task.status !== 'running'
    setText(this.#hold, task.paused ? 'Hand back' : 'Take over')
    if (before?.steps !== task.steps || before.status !== task.status) this.#showSteps(task)
  }

  /** Its status. Screen readers announce a change of the status, but not the time beside it, which changes every second. */
  tick(): void {
    const task = this.#task
    if (!task) return
    const seconds = Math.max(0, Math.round(((task.endedAt ?? Date.now()) - task.startedAt) / SECOND_MS))
    const { words, className } = standing(task)
    const [text, time] = this.#status.childNodes.length === 2 ? [...this.#status.children] : this.#statusParts()
    if (text) setText(text, words)
    if (time) setText(time, ` · ${duration(seconds)}`)
    this.#status.className = className
  }

  #statusParts(): Element[] {
    const time = make('span', { className: 'quiet' })
    time.setAttribute('aria-live', 'off')
    const parts = [make('span'), time]
    this.#status.replaceChildren(...parts)
    return parts
  }

  #showSteps({ steps, status }: PanelTask): void {
    const shown = status === 'running' ? STEPS_SHOWN : 0
    const older = steps.slice(0, steps.length - shown)
    const recent = steps.slice(older.length)
    this.#olderBox.hidden = older.length === 0
    setText(
      this.#olderTitle,
      status === 'running' ? `${older.length} earlier ${older.length === 1 ? 'step' : 'steps'}` : count(older.length),
    )
    showList(this.#older, older)
    showList(this.#recent, recent)
    this.#recent.hidden = recent.length === 0
  }

  #button(textContent: string, onClick: () => Promise<void>): HTMLButtonElement {
    const button = make('button', { textContent })
    button.type = 'button'
    button.setAttribute('aria-describedby', this.#title.id)
    button.onclick = () => void onClick()
    return button
  }
}

const WAITS = {
  question: 'Waiting for your answer',
  approval: 'Waiting for your approval',
  takeover: 'Waiting for you to do this in its tab',
} as const

const count = (steps: number): string => (steps === 1 ? '1 step' : `${steps} steps`)

function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

function standing({ status, paused, input }: PanelTask): { words: string; className: string } {
  if (status === 'complete') return { words: 'Done', className: 'good' }
  if (status === 'error') return { words: 'Ended without success', className: 'bad' }
  if (input !== null) return { words: WAITS[input.kind], className: 'wait' }
  return paused
    ? { words: 'You have taken over. The task is waiting for you.', className: 'wait' }
    : { words: 'Running in this browser', className: 'good' }
}

function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function showList(list: HTMLOListElement, steps: readonly PanelStep[]): void {
  list.replaceChildren(
    ...steps.map((step) => {
      const mark = make('span', { textContent: `${MARKS[step.state]} ` })
      mark.setAttribute('role', 'img')
      mark.setAttribute('aria-label', SPOKEN[step.state])
      const item = make('li', {}, mark, make('span', { textContent: step.words }))
      if (step.thumbnail !== null) item.append(picture(step.thumbnail, step.words))
      return item
    }),
  )
}

/** Pictures that were read, by their keys: a list is drawn anew with every step. */
const pictures = new Map<string, string>()
const PICTURES_MAX = 60

function picture(key: string, words: string): HTMLImageElement {
  const image = make('img')
  image.alt = `The page after: ${words}`
  const known = pictures.get(key)
  if (known !== undefined) image.src = known
  else
    void chrome.storage.session.get(key).then(({ [key]: jpeg }) => {
      if (typeof jpeg !== 'string') return image.remove()
      const src = `data:image/jpeg;base64,${jpeg}`
      const [oldest] = pictures.keys()
      if (pictures.size >= PICTURES_MAX && oldest !== undefined) pictures.delete(oldest)
      pictures.set(key, src)
      image.src = src
    })
  return image
}
