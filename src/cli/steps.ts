import { durationOf } from '../wire/duration.ts'
import type { StepList } from '../wire/tasks.ts'
import { bold, dim, oneLine, red, say, width } from './terminal.ts'

type StepRecord = StepList['steps'][number]

const NUMBER_CHARS = 4
const TOOL_CHARS = 15
const DURATION_CHARS = 10
const GAP_CHARS = 2
/** Tools whose output says in one sentence what was done; of the others the input says more. */
const TELLING = new Set(['navigate', 'form_input', 'computer'])

/** Prints the records of a task as lines for a person, each once, in the order in which they come. */
export class StepPrinter {
  #printed = 0
  /** When what came before was over: what the model thinks until its reply counts from here. */
  #since: number
  /** What the model said last: printed when it is known whether it is the answer, which is printed apart. */
  #said: { step: number; text: string; durationMs: number } | null = null
  #input: Readonly<Record<string, unknown>> = {}
  #output = ''

  constructor(startedAt: number) {
    this.#since = startedAt
  }

  /** All records of the task as they are known now; those that were printed are passed over. */
  print(records: readonly StepRecord[]): void {
    for (const record of records.slice(this.#printed)) this.#record(record)
    this.#printed = Math.max(this.#printed, records.length)
  }

  #record(record: StepRecord): void {
    const { status, step, tool_name: tool, output, duration_ms: duration, created_at: at } = record
    if (status === 'thinking') {
      this.#said = { step, text: output || 'thinking', durationMs: at - this.#since }
    } else if (this.#said) {
      const { step, text, durationMs } = this.#said
      this.#said = null
      this.#line(String(step), '', bold, status === 'complete' ? 'Final answer' : text, durationMs)
    }
    if (status === 'tool_use') {
      this.#input = record.tool_input ?? {}
      this.#output = ''
    } else if (status === 'tool_output') this.#output = output ?? ''
    else if (status === 'tool_result') {
      const failed = this.#output.startsWith('Error: ')
      const told = failed || TELLING.has(tool ?? '') ? this.#output : wordsOf(this.#input)
      this.#line('', `  ${(tool ?? '').padEnd(TOOL_CHARS)} `, failed ? red : plain, told, duration ?? 0)
    }
    // Records carry the moment at which their step was noted: a call ends later by what it took.
    this.#since = Math.max(at, status === 'tool_result' ? this.#since + (duration ?? 0) : 0)
  }

  #line(number: string, name: string, paint: (text: string) => string, text: string, duration: number): void {
    const room = width() - NUMBER_CHARS - GAP_CHARS - name.length - DURATION_CHARS
    const fitted = oneLine(text, room)
    const rest = ' '.repeat(room - fitted.length)
    const took = dim(durationOf(duration).padStart(DURATION_CHARS))
    say(`${number.padStart(NUMBER_CHARS)}${' '.repeat(GAP_CHARS)}${dim(name)}${paint(fitted)}${rest}${took}`)
  }
}

const plain = (text: string): string => text

/** A tool's input in a few words: `left_click e12`, `e4 ← "Ada"`. */
export function wordsOf(input: Readonly<Record<string, unknown>>): string {
  const { action, ref, value, ...rest } = input
  const words = [action, ref].filter((word) => typeof word === 'string').map(String)
  if (value !== undefined) words.push(`← ${JSON.stringify(value)}`)
  for (const [name, given] of Object.entries(rest)) {
    words.push(
      typeof given === 'string' && ['url', 'query', 'text', 'filter'].includes(name)
        ? given
        : `${name} ${JSON.stringify(given)}`,
    )
  }
  return words.join(' ')
}
