import { MINUTE_MS } from '../../../machines/limits.ts'
import type { RelayInput } from '../../wire/relay-panel.ts'
import { wordsFor } from '../../wire/tool-words.ts'
import { INPUT_MS_MIN } from '../limits.ts'
import type { FromOwnPage } from '../messages.ts'
import { make } from './dom.ts'

type Act = (message: FromOwnPage) => Promise<void>

const WORDS = {
  question: { accept: 'Answer', decline: 'Do not answer' },
  approval: { accept: 'Approve', decline: 'Decline' },
  takeover: { accept: 'Done', decline: 'I cannot do this' },
} as const

/** [I9] What a task asks, and how it is answered. The words of the page among it are text, never markup. */
export class InputForm {
  readonly element = make('form', { className: 'input' })
  readonly #taskId: string
  readonly #act: Act
  #shown: string | null = null

  constructor(taskId: string, act: Act) {
    this.#taskId = taskId
    this.#act = act
    this.element.hidden = true
  }

  /** The same request again changes nothing: what the user has typed stays. */
  show(request: RelayInput | null): void {
    if (this.#shown === (request?.id ?? null)) return
    this.#shown = request?.id ?? null
    this.element.hidden = request === null
    this.element.replaceChildren(...(request ? this.#parts(request) : []))
  }

  #parts(request: RelayInput): Node[] {
    const { id, kind, message, call, expiresAt } = request
    const field = kind === 'question' ? answerField(request) : null
    const accept = make('button', { className: 'main', textContent: WORDS[kind].accept })
    const decline = make('button', { textContent: WORDS[kind].decline })
    decline.type = 'button'
    const answer = (action: 'accept' | 'decline') => {
      if (action === 'accept' && field && field.value.trim() === '') return field.focus()
      accept.disabled = true
      decline.disabled = true
      const content = action === 'accept' && field ? field.value : null
      void this.#act({ type: 'input', taskId: this.#taskId, inputId: id, action, content }).finally(() => {
        // Not taken, or not told yet: it can be given again.
        accept.disabled = false
        decline.disabled = false
      })
    }
    this.element.onsubmit = (event) => {
      event.preventDefault()
      answer('accept')
    }
    decline.onclick = () => answer('decline')
    // A click or key press that was aimed at what was here before must not count as the answer.
    accept.disabled = true
    setTimeout(() => {
      accept.disabled = false
    }, INPUT_MS_MIN)
    return [
      make('p', { className: 'answer', textContent: message }),
      ...(call ? [callDetails(call)] : []),
      ...(field ? [labelled('Your answer', field)] : []),
      make('div', { className: 'buttons' }, accept, decline),
      make('p', { className: 'quiet', textContent: `Without an answer ${WITHOUT[kind]} ${clock(expiresAt)}.` }),
    ]
  }
}

const WITHOUT = {
  question: 'the task goes on at',
  approval: 'it is declined at',
  takeover: 'the task goes on at',
} as const

const clock = (at: number): string =>
  new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

/** The action, where it would be done, and the amounts of money that the page shows. */
function callDetails({ tool, input, terms }: NonNullable<RelayInput['call']>): HTMLElement {
  const [page = '', ...amounts] = terms
  return make(
    'dl',
    {},
    make('dt', { textContent: 'Action' }),
    make('dd', { textContent: wordsFor(tool, input) }),
    make('dt', { textContent: 'Page' }),
    make('dd', { textContent: page || 'unknown' }),
    make('dt', { textContent: 'Amounts on the page' }),
    make('dd', { textContent: amounts.join(', ') || 'none' }),
  )
}

function answerField({ schema }: RelayInput): HTMLSelectElement | HTMLTextAreaElement {
  const options = Array.isArray(schema?.enum) ? schema.enum.map(String) : null
  if (options === null) return Object.assign(make('textarea'), { required: true })
  return make('select', {}, ...options.map((textContent) => make('option', { textContent })))
}

function labelled(textContent: string, field: HTMLElement): HTMLElement {
  const label = make('label', { textContent })
  label.append(field)
  return label
}
