import { randomUUID } from 'node:crypto'
import { pageContent } from '../actors/conversation/prompt.ts'
import type { JournalEntry } from '../machines/journal.ts'
import type { ActReport, Guard, RecipeVersion } from '../machines/recipe.ts'
import { recipeOf } from '../machines/recipe-of.ts'
import { callOf, nextPlay } from '../machines/recipe-play.ts'
import { NO_USAGE } from '../machines/records.ts'
import type { Answer, Relay } from './harness/relay.ts'
import type { Origins } from './harness/site.ts'

/** How a task went that was done once by its solver and then by its recipe. */
export type Again =
  /** Its solver only reads, or did not do it. */
  | 'nothing to play'
  | 'played to the end'
  /** A model would go on: at a deviation, or where the recipe ends. */
  | 'handed over'
  /** All was played, and the task is not done. */
  | 'wrong'

/** A task over the relay, with its journal as the service would keep it. */
export class Journal {
  readonly entries: JournalEntry[] = []
  readonly #relay: Relay
  readonly #taskId: string
  #step = 0

  constructor(relay: Relay, taskId: string) {
    this.#relay = relay
    this.#taskId = taskId
  }

  /** The relay for a solver: what it asks for is kept, one call in a reply. */
  get recording(): Relay {
    return {
      ...this.#relay,
      call: async (_, tool, input) => {
        this.#step += 1
        return this.#call(tool, { ...input }, {}, undefined)
      },
    }
  }

  /** Plays a recipe. Gives how it went, short of whether the task is done. */
  async play(version: RecipeVersion): Promise<{ end: 'played to the end' | 'handed over'; found: string }> {
    for (;;) {
      const next = nextPlay(version, this.entries, {})
      if (next.kind === 'deviated') {
        const { step, expected, found } = next.deviation
        return { end: 'handed over', found: `step ${step}, ${expected}: ${found}` }
      }
      if (next.kind === 'ended') return { end: 'handed over', found: 'the recipe ends here' }
      if (next.kind !== 'acts') return { end: 'played to the end', found: '' }
      this.#step += 1
      const [step] = next.steps
      if (!step) throw new Error('There is no step')
      const { input, guard } = callOf(step, version, version.inputs)
      await this.#call(step.tool, input, guard, { from: next.from, of: version.steps.length })
    }
  }

  async #call(
    tool: string,
    input: Record<string, unknown>,
    guard: Guard,
    played: { from: number; of: number } | undefined,
  ): Promise<Answer> {
    const requestId = randomUUID()
    const step = this.#step
    const call = { requestId, tool, input, refusal: null, ...(played ? { guard } : {}) }
    const reply = { text: '', usage: NO_USAGE, model: 'solver', at: 0, calls: [call] }
    this.entries.push({ kind: 'reply', step, ...reply, ...(played ? { played } : {}) })
    const answer = await this.#relay.call(this.#taskId, tool, input, { guard })
    const {
      said = '',
      content = '',
      url,
      fingerprint,
      act,
    } = answer.told as {
      readonly said?: string
      readonly content?: string
      readonly url?: string
      readonly fingerprint?: string
      readonly act?: ActReport
    }
    this.entries.push({
      ...{ kind: 'result', step, requestId, tool, failed: answer.failed, screenshot: null, durationMs: 0, at: 0 },
      text: answer.failed ? answer.text : `${said}\n${pageContent(content)}`,
      ...(url ? { url } : {}),
      ...(fingerprint ? { state: fingerprint } : {}),
      ...(act ? { act } : {}),
    })
    return answer
  }
}

/** The recipe of what a solver did on one site, for the same pages on another; `null`: there is nothing to play. */
export function versionOf(entries: readonly JournalEntry[], was: Origins, is: Origins): RecipeVersion | null {
  const { steps, isWhole } = recipeOf(entries, {})
  if (steps.every(({ reads, tool }) => reads || tool === 'navigate')) return null
  const moved = JSON.stringify(steps).replaceAll(was.own, is.own).replaceAll(was.other, is.other)
  const counts = { modelCalls: 0, tokens: 0, costUsd: 0 }
  return { version: 1, taskId: '', madeAt: 0, steps: JSON.parse(moved), inputs: {}, unused: [], isWhole, ...counts }
}

/** The shares of a suite in words. */
export function sharesOf(all: readonly Again[]): string {
  const some = all.filter((each) => each !== 'nothing to play')
  const count = (kind: Again) => all.filter((each) => each === kind).length
  const share = (kind: Again) =>
    `${count(kind)} ${kind} (${((100 * count(kind)) / Math.max(1, some.length)).toFixed(0)} %)`
  return `${some.length} recipes: ${share('played to the end')}, ${share('handed over')}, ${count('wrong')} wrong`
}
