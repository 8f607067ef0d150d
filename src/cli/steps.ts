import type { TaskEvent } from '../client/index.ts'
import { durationOf } from '../wire/duration.ts'
import { namesIn, wordsFor } from '../wire/tool-words.ts'
import { invocation } from './invocation.ts'
import { bold, dim, oneLine, red, say, width } from './terminal.ts'

const NUMBER_CHARS = 4
const TOOL_CHARS = 15
const DURATION_CHARS = 10
const GAP_CHARS = 2

/** Prints the events of a task as lines for a person, in the order in which they come. */
export class StepPrinter {
  /** When what came before was over: what the model thinks until its reply counts from here. */
  #since: number
  /** What the model said last: printed when it is known whether it is the answer, which is printed apart. */
  #said: { step: number; text: string; durationMs: number } | null = null
  #input: Readonly<Record<string, unknown>> = {}
  #names: ReadonlyMap<string, string> = new Map()

  constructor(startedAt: number) {
    this.#since = startedAt
  }

  print(event: TaskEvent): void {
    const { type, at } = event
    if (type === 'model.replied') {
      this.#said = { step: event.step, text: event.text || 'thinking', durationMs: at - this.#since }
      this.#since = at
    } else if (type === 'answer.checked') {
      this.#saySaid('Checks its answer')
    } else if (type === 'tool.called') {
      // The answer itself is printed at the end.
      this.#saySaid(event.tool === 'finish' ? 'Final answer' : null)
      this.#input = event.input
      this.#since = Math.max(at, this.#since)
    } else if (type === 'tool.result' && event.tool !== 'finish') {
      const { tool, output, error, duration_ms: duration } = event
      this.#names = namesIn(output, this.#names)
      const told = error ?? wordsFor(tool, this.#input, (ref) => this.#names.get(ref) ?? null)
      this.#line('', `  ${tool.padEnd(TOOL_CHARS)} `, error === undefined ? plain : red, told, duration)
      // Events carry the moment at which their step was noted: a call ends later by what it took.
      this.#since = Math.max(at, this.#since + duration)
    } else if (type === 'input.requested') {
      this.#saySaid(null)
      sayRequest(event)
    } else if (type === 'task.ended') this.#saySaid(event.status === 'complete' ? 'Final answer' : null)
  }

  /** `instead`: what the reply was for, where its words are said elsewhere. */
  #saySaid(instead: string | null): void {
    if (!this.#said) return
    const { step, text, durationMs } = this.#said
    this.#said = null
    this.#line(String(step), '', bold, instead ?? text, durationMs)
  }

  #line(number: string, name: string, paint: (text: string) => string, text: string, duration: number): void {
    const room = width() - NUMBER_CHARS - GAP_CHARS - name.length - DURATION_CHARS
    const fitted = oneLine(text, room)
    const rest = ' '.repeat(room - fitted.length)
    const took = dim(durationOf(duration).padStart(DURATION_CHARS))
    say(`${number.padStart(NUMBER_CHARS)}${' '.repeat(GAP_CHARS)}${dim(name)}${paint(fitted)}${rest}${took}`)
  }
}

/** [I8] What the task asks, and how to answer. */
function sayRequest({ task_id, request_id, kind, message }: Extract<TaskEvent, { type: 'input.requested' }>): void {
  say()
  say(bold(kind === 'approval' ? `Approve this action? ${message}` : `${message}`))
  const text = kind === 'question' ? ' "<answer>"' : ''
  say(dim(`   ${invocation.command} answer ${task_id} ${request_id} accept${text}   (or decline)`))
  say()
}

const plain = (text: string): string => text
