import { type Profiler, Session } from 'node:inspector'
import type { Part } from './counts.ts'

const ROOT = new URL('../..', import.meta.url).href
const FLOORS = ['machines', 'actors', 'src'].map((floor) => `${ROOT}${floor}/`)
/** After this long without news, what was still to be done behind a frame or an answer is done. */
const QUIET_MS = 100

export interface Passed {
  /** For each start: from the request until it is answered. */
  readonly starts: readonly (readonly string[])[]
  /** For each step but the last of a task: from a tool result until the next call has gone out. */
  readonly steps: readonly (readonly string[])[]
}

/**
 * Which files a start and a step pass: those of which a function is called, by V8's own count. Right for one task at a time
 * whose browser waits longer than QUIET_MS. The engine runs no optimized code meanwhile.
 */
export class PassedFiles {
  readonly #session = new Session()
  readonly #starts: string[][] = []
  readonly #steps: string[][] = []
  #inStep = false

  begin(): void {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  moment(part: Part): void {
    const passed = part === 'result' ? [] : this.#look()
    if (part === 'response') this.#starts.push(passed)
    if (part === 'call' && this.#inStep) this.#steps.push(passed)
    this.#inStep = part === 'result'
    if (part === 'call') setTimeout(() => this.#look(), QUIET_MS)
  }

  read = (): Passed => ({ starts: this.#starts, steps: this.#steps })

  /** The files of which a function was called since the last look. */
  #look(): string[] {
    let result: Profiler.ScriptCoverage[] = []
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error
      result = taken.result
    })
    const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    const files = called.map(({ url }) => url).filter((url) => FLOORS.some((floor) => url.startsWith(floor)))
    return [...new Set(files)].map((url) => url.slice(ROOT.length)).sort()
  }
}
