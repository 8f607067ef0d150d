import type { ScriptAnswer, ScriptRun, ScriptStep, Scripts } from '../../../actors/runtime/ports.ts'

/** A script of a test: it asks for calls, and gets what came of each. */
export type SceneScript = () => Generator<readonly [tool: string, input: unknown], unknown, ScriptAnswer>

/** Scripts by their code. Each is run from its beginning for every step, as after a restart. */
export class SceneScripts implements Scripts {
  readonly known = new Map<string, SceneScript>()
  readonly forgotten: string[] = []

  /** The call of `script` that runs it. */
  call(script: SceneScript, fields: { readonly timeout_s?: number } = {}): readonly [string, unknown] {
    const code = `script ${this.known.size + 1}`
    this.known.set(code, script)
    return ['script', { code, ...fields }]
  }

  async next({ code, answers }: ScriptRun): Promise<ScriptStep> {
    const script = this.known.get(code)
    if (!script) throw new Error(`There is no ${code}`)
    const at = { log: '', line: answers.length + 1 }
    try {
      const run = script()
      let step = run.next()
      for (const answer of answers) step = answer.failed ? run.throw(new Error(answer.said)) : run.next(answer)
      if (step.done) return { ...at, kind: 'returned', value: String(step.value) }
      const [tool, input] = step.value
      return { ...at, kind: 'call', tool, input }
    } catch (error) {
      return { ...at, kind: 'failed', message: error instanceof Error ? error.message : String(error) }
    }
  }

  forget(taskId: string): void {
    this.forgotten.push(taskId)
  }
}
