import { parentPort } from 'node:worker_threads'
import * as variant from '@jitl/quickjs-singlefile-cjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import type { ScriptStep } from '../../actors/runtime/ports.ts'
import {
  SCRIPT_BYTES_MAX,
  SCRIPT_CALL_CHARS_MAX,
  SCRIPT_JOBS_MAX,
  SCRIPT_LOG_CHARS_MAX,
  SCRIPT_LOOKS_MAX,
  SCRIPT_STACK_BYTES_MAX,
  SCRIPT_VALUE_CHARS_MAX,
} from './limits.ts'
import { PRELUDE } from './prelude.ts'

/** What the thread is asked: to begin a script, to go on with the answer of its call, or to forget it. */
export type ScriptJob =
  | { readonly id: string; readonly code: string }
  | {
      readonly id: string
      readonly answer: { readonly failed: boolean; readonly said: string; readonly content: string }
    }
  | { readonly id: string; readonly drop: true }

/** What the prelude says of a script. */
interface State {
  readonly log: string
  readonly call?: { readonly tool: unknown; readonly input: unknown }
  readonly stack?: string
  readonly value?: unknown
  readonly error?: { readonly message: string; readonly stack: string }
}

/** Node has it, its types do not. */
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: new (pages: object) => never } }).WebAssembly

const FILE = 'script.js'
const JOBS_AT_ONCE = 1_000
/** Of WebAssembly. */
const PAGE = 64 * 1024
/** What the module asks for at least. */
const BYTES_FIRST = 16 * 1024 * 1024
const LOOPS: ScriptStep = {
  kind: 'failed',
  message: 'The script did not get to its next call or its end: does it loop?',
  log: '',
  line: null,
}

/** One script in an interpreter of its own, whose memory goes with it. */
class Script {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #prelude: QuickJSHandle
  #looks = 0

  private constructor(runtime: QuickJSRuntime) {
    this.#runtime = runtime
    runtime.setMaxStackSize(SCRIPT_STACK_BYTES_MAX)
    runtime.setInterruptHandler(() => ++this.#looks > SCRIPT_LOOKS_MAX)
    this.#context = runtime.newContext()
    this.#prelude = this.#context.unwrapResult(this.#context.evalCode(PRELUDE, 'prelude.js'))
  }

  static async create(): Promise<Script> {
    // QuickJS cannot count what it takes there: the memory itself is the limit.
    const wasmMemory = new Memory({ initial: BYTES_FIRST / PAGE, maximum: SCRIPT_BYTES_MAX / PAGE })
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant.default as never, { wasmMemory }))
    return new Script(module.newRuntime())
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
    const done = work()
    if (done.error) return this.#thrown(done.error)
    for (let jobs = 0; this.#runtime.hasPendingJob(); jobs += JOBS_AT_ONCE) {
      const ran = this.#runtime.executePendingJobs(JOBS_AT_ONCE)
      if (ran.error) return this.#thrown(ran.error)
      // Each of them is too short to be interrupted.
      if (this.#looks > SCRIPT_LOOKS_MAX || jobs >= SCRIPT_JOBS_MAX) return LOOPS
    }
    this.#looks = 0
    const state = this.#call('state')
    return state.error ? this.#thrown(state.error) : stepOf(this.#context.getString(state.value))
  }

  #thrown(error: QuickJSHandle): ScriptStep {
    if (this.#looks > SCRIPT_LOOKS_MAX) return LOOPS
    this.#looks = 0
    const { name, message, stack } = this.#context.dump(error) as Record<string, unknown>
    return {
      kind: 'failed',
      message: cut(`${name}: ${message}`, SCRIPT_VALUE_CHARS_MAX),
      log: '',
      line: lineIn(String(stack)),
    }
  }
}

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

const scripts = new Map<string, Script>()

async function done(job: ScriptJob): Promise<ScriptStep | null> {
  if ('drop' in job) {
    scripts.delete(job.id)
    return null
  }
  if ('code' in job) {
    const script = await Script.create()
    scripts.set(job.id, script)
    return script.start(job.code)
  }
  const script = scripts.get(job.id)
  return script ? script.answer(job.answer) : null
}

parentPort?.on('message', (job: ScriptJob) => {
  done(job).then(
    (step) => parentPort?.postMessage(step),
    (error: unknown) =>
      parentPort?.postMessage({ kind: 'failed', message: String(error), log: '', line: null } satisfies ScriptStep),
  )
})
parentPort?.postMessage('ready')
