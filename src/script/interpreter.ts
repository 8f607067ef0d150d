import { parentPort, workerData } from 'node:worker_threads'
import * as variant from '@jitl/quickjs-singlefile-cjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import type { ScriptStep } from '../../actors/runtime/ports.ts'
import { type Gate, waitAt } from './gate.ts'
import {
  SCRIPT_BYTES_FULL,
  SCRIPT_BYTES_MAX,
  SCRIPT_CALL_CHARS_MAX,
  SCRIPT_JOBS_MAX,
  SCRIPT_LOG_CHARS_MAX,
  SCRIPT_LOOKS_MAX,
  SCRIPT_STACK_BYTES_MAX,
  SCRIPT_VALUE_CHARS_MAX,
} from './limits.ts'
import { PRELUDE } from './prelude.ts'

/** What the thread is asked: to begin its script, or to go on with the answer of its call. */
export type ScriptJob =
  | { readonly code: string }
  | { readonly answer: { readonly failed: boolean; readonly said: string; readonly content: string } }

/** What the prelude says of a script. */
interface State {
  readonly log: string
  /** The stack of its newest verb. */
  readonly last: string
  readonly call?: { readonly tool: unknown; readonly input: unknown }
  readonly stack?: string
  readonly value?: unknown
  readonly error?: { readonly message: string; readonly stack: string }
}

/** Node has it, its types do not. */
const { Memory } = (
  globalThis as unknown as { WebAssembly: { Memory: new (pages: object) => { buffer: ArrayBuffer } } }
).WebAssembly

/** As a bundle imports it: with what is wrapped once more, the memory of a script would be ignored without a word. */
const { default: imported } = variant as unknown as { default: { default?: object } }
const interpreter = imported.default ?? imported

const FILE = 'script.js'
const JOBS_AT_ONCE = 1_000
/** Of WebAssembly. */
const PAGE = 64 * 1024
/** What the module asks for at least. */
const BYTES_FIRST = 16 * 1024 * 1024
/** Of jobs and looks of a script that was interrupted, to note where. */
const LAST_JOBS = 20
/** Why a script was interrupted. The interpreter knows the line of the last call of a function, or where the loop was entered. */
const INTERRUPTED = {
  loops: 'The script did not get to its next call or its end: does a loop at that line, or after it, never end?',
  memory: 'The script takes too much memory, at that line or after it.',
}

/** One script in an interpreter of its own, whose memory goes with it. */
class Script {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #prelude: QuickJSHandle
  #looks = 0
  #interrupted: keyof typeof INTERRUPTED | null = null

  private constructor(runtime: QuickJSRuntime, memory: { readonly buffer: ArrayBuffer }) {
    this.#runtime = runtime
    runtime.setMaxStackSize(SCRIPT_STACK_BYTES_MAX)
    runtime.setInterruptHandler(() => {
      waitAt(workerData as Gate, tell)
      // While there is room yet for the error that says where.
      if (memory.buffer.byteLength >= SCRIPT_BYTES_FULL) this.#interrupted ??= 'memory'
      else if (++this.#looks > SCRIPT_LOOKS_MAX) this.#interrupted ??= 'loops'
      return this.#interrupted !== null
    })
    this.#context = runtime.newContext()
    this.#prelude = this.#context.unwrapResult(this.#context.evalCode(PRELUDE, 'prelude.js'))
  }

  static async create(): Promise<Script> {
    // QuickJS cannot count what it takes there: the memory itself is the limit.
    const wasmMemory = new Memory({ initial: BYTES_FIRST / PAGE, maximum: SCRIPT_BYTES_MAX / PAGE })
    const module = await newQuickJSWASMModuleFromVariant(
      newVariant(interpreter as never, { wasmMemory: wasmMemory as never }),
    )
    return new Script(module.newRuntime(), wasmMemory)
  }

  start(code: string): ScriptStep {
    // On one line with the script's first: its lines are counted from there.
    return this.#run(() => {
      const main = this.#context.evalCode(`(async () => {${code}\n})`, FILE)
      return main.error ? main : this.#call('start', main.value)
    })
  }

  answer(answer: unknown): ScriptStep {
    return this.#run(() => this.#call('take', this.#context.newString(JSON.stringify(answer))))
  }

  #call(name: string, argument?: QuickJSHandle) {
    const method = this.#context.getProp(this.#prelude, name)
    return this.#context.callFunction(method, this.#context.undefined, ...(argument ? [argument] : []))
  }

  #run(work: () => ReturnType<QuickJSContext['callFunction']>): ScriptStep {
    this.#looks = 0
    let thrown = work().error
    for (let jobs = 0; !thrown && this.#interrupted === null && this.#runtime.hasPendingJob(); jobs += JOBS_AT_ONCE) {
      thrown = this.#runtime.executePendingJobs(JOBS_AT_ONCE).error
      // Each of them is too short to be interrupted: the next look ends it.
      if (jobs >= SCRIPT_JOBS_MAX) this.#looks = SCRIPT_LOOKS_MAX
    }
    if (this.#interrupted !== null) return this.#broken(INTERRUPTED[this.#interrupted], thrown)
    if (thrown) return this.#thrown(thrown)
    this.#looks = 0
    const state = this.#call('state')
    return state.error ? this.#thrown(state.error) : stepOf(this.#context.getString(state.value))
  }

  #thrown(error: QuickJSHandle): ScriptStep {
    if (this.#interrupted !== null) return this.#broken(INTERRUPTED[this.#interrupted], error)
    this.#looks = 0
    const { name, message, stack } = this.#context.dump(error) as Record<string, unknown>
    return failure(cut(`${name}: ${message}`, SCRIPT_VALUE_CHARS_MAX), '', lineIn(String(stack)))
  }

  /** The end of an interrupted script: where it was, as far as it can still say so. */
  #broken(message: string, error?: QuickJSHandle): ScriptStep {
    const stack = error ? String((this.#context.dump(error) as { stack?: unknown } | null)?.stack) : ''
    // From here on it is interrupted by its looks alone, and soon.
    this.#runtime.setInterruptHandler(() => ++this.#looks > LAST_JOBS)
    this.#looks = 0
    this.#runtime.executePendingJobs(LAST_JOBS)
    this.#looks = 0
    const state = this.#call('state')
    if (state.error) return failure(message, '', lineIn(stack))
    const { log, last, error: rejected } = JSON.parse(this.#context.getString(state.value)) as State
    const line = lineIn(stack) ?? lineIn(String(rejected?.stack)) ?? lineIn(String(last))
    return failure(message, cut(String(log), SCRIPT_LOG_CHARS_MAX), line)
  }
}

const failure = (message: string, log: string, line: number | null): ScriptStep => ({
  kind: 'failed',
  message,
  log,
  line,
})

/** What the script says of itself is not trusted to have any shape. */
function stepOf(json: string): ScriptStep {
  const state = JSON.parse(json) as State
  const log = cut(String(state.log), SCRIPT_LOG_CHARS_MAX)
  if (state.error) {
    const { message, stack } = state.error
    return { kind: 'failed', message: cut(String(message), SCRIPT_VALUE_CHARS_MAX), log, line: lineIn(String(stack)) }
  }
  if (!state.call) return { kind: 'returned', value: cut(String(state.value), SCRIPT_VALUE_CHARS_MAX), log, line: null }
  const { tool, input } = state.call
  if (json.length > SCRIPT_CALL_CHARS_MAX)
    return { kind: 'failed', message: 'The input of a call is too large.', log, line: lineIn(String(state.stack)) }
  return { kind: 'call', tool: String(tool), input, log, line: lineIn(String(state.stack)) }
}

const lineIn = (stack: string): number | null => {
  const [, line] = /script\.js:(\d+)/.exec(stack) ?? []
  return line === undefined ? null : Number(line)
}

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}… cut: ${text.length - max} more characters`

const tell = (message: unknown): void => parentPort?.postMessage(message)
let script: Script | null = null

async function done(job: ScriptJob): Promise<ScriptStep> {
  if ('answer' in job) return script?.answer(job.answer) ?? failure('The script has not begun.', '', null)
  script = await Script.create()
  return script.start(job.code)
}

parentPort?.on('message', (job: ScriptJob) => {
  done(job).then(tell, (error: unknown) => tell(failure(String(error), '', null)))
})
tell('ready')
