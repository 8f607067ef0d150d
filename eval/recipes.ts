import { randomUUID } from 'node:crypto'
import { pageContent } from '../actors/conversation/page-content.ts'
import type { JournalEntry } from '../machines/journal.ts'
import type { ActReport, Guard, RecipeVersion, Values } from '../machines/recipe.ts'
import { recipeOf } from '../machines/recipe-of.ts'
import { callOf, nextPlay } from '../machines/recipe-play.ts'
import { NO_USAGE } from '../machines/records.ts'
import type { Answer, Relay } from './harness/relay.ts'
import type { Origins } from './harness/site.ts'
import type { Stage } from './harness/stage.ts'
import type { EvalTask } from './harness/task.ts'

/** How a task went that was done once by its solver and then by its recipe. */
export type Again =
  /** Its solver only reads, or did not do it. */
  | 'nothing to play'
  | 'played to the end'
  /** A model would go on: at a deviation, or where the recipe ends. */
  | 'handed over'
  /** All was played, and the task is not done. */
  | 'wrong'

/** What a solver did once; `why`: it did not do it. */
export interface Recorded {
  readonly entries: readonly JournalEntry[]
  readonly origins: Origins
  /** What was to be done, in words. */
  readonly goal: string
  readonly why: string
}

/** The inputs of what was done, and those of what is to be done now. */
export interface Inputs {
  readonly before: Values
  readonly now: Values
}
export const NO_INPUTS: Inputs = { before: {}, now: {} }

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
  async play(
    version: RecipeVersion,
    values: Values,
  ): Promise<{ end: 'played to the end' | 'handed over'; found: string }> {
    for (;;) {
      const next = nextPlay(version, this.entries, values)
      if (next.kind === 'deviated') {
        const { step, expected, found } = next.deviation
        return { end: 'handed over', found: `step ${step}, ${expected}: ${found}` }
      }
      if (next.kind === 'ended') return { end: 'handed over', found: 'the recipe ends here' }
      if (next.kind !== 'acts') return { end: 'played to the end', found: '' }
      this.#step += 1
      const [step] = next.steps
      if (!step) throw new Error('There is no step')
      const { input, guard } = callOf(step, version, values)
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

/** The recipe of what a solver did, with addresses as they are now; `null`: there is nothing to play. */
export function versionOf(
  entries: readonly JournalEntry[],
  inputs: Values,
  goal: string,
  moved: readonly (readonly [was: string, is: string])[],
): RecipeVersion | null {
  const { steps, isWhole, unused } = recipeOf(entries, inputs, goal)
  if (steps.every(({ reads, tool }) => reads || tool === 'navigate')) return null
  const text = moved.reduce((all, [was, is]) => all.replaceAll(was, is), JSON.stringify(steps))
  const counts = { modelCalls: 0, tokens: 0, costUsd: 0 }
  return { version: 1, taskId: '', madeAt: 0, steps: JSON.parse(text), inputs, unused, isWhole, ...counts }
}

/** A task on a page of its own, by its solver and then by its recipe: with other inputs where its page asks for other values. */
export async function again(stage: Stage, task: EvalTask): Promise<{ readonly how: Again; readonly why: string }> {
  const recorded = await stage.recorded(task)
  if (recorded.why !== '') return { how: 'nothing to play', why: recorded.why }
  const other = task.other ? { ...task, serve: task.other } : null
  const inputs = other ? inputsOf(await stage.goalOf(task), await stage.goalOf(other)) : null
  if (!other || !inputs) return stage.played(task, recorded)
  const { how, why } = await stage.played(other, recorded, inputs)
  return { how, why: `${why} with ${JSON.stringify(inputs.now)} after ${JSON.stringify(inputs.before)}` }
}

/** What differs between two goals of one template, as inputs; `null`: nothing does, or they are not of one template. */
export function inputsOf(first: string, second: string): Inputs | null {
  const [one, other] = [wordsOf(first), wordsOf(second)]
  const before: Record<string, string | number> = {}
  const now: Record<string, string | number> = {}
  for (let at = 0, to = 0; at < one.length || to < other.length; ) {
    if (one[at] === other[to]) {
      at += 1
      to += 1
      continue
    }
    // To the nearest word that both have.
    const ends = one.slice(at).flatMap((word, more) => {
      const found = other.indexOf(word, to)
      return found < 0 ? [] : [{ at: at + more, to: found, way: more + found - to }]
    })
    const end = ends.sort((a, b) => a.way - b.way)[0] ?? { at: one.length, to: other.length }
    const [was, is] = [one.slice(at, end.at).join(' '), other.slice(to, end.to).join(' ')]
    if (was === '' || is === '') return null
    const name = `value_${Object.keys(before).length + 1}`
    const areNumbers = [was, is].every((text) => /^\d+$/.test(text))
    before[name] = areNumbers ? Number(was) : was
    now[name] = areNumbers ? Number(is) : is
    at = end.at
    to = end.to
  }
  return Object.keys(before).length === 0 ? null : { before, now }
}

/** What is in quotes, or a time of day, is one word; other words are without the signs around them. */
const wordsOf = (goal: string): string[] =>
  [...goal.matchAll(/"([^"]*)"|\d{1,2}:\d{2} [AP]M|[^\s"]+/g)].map(
    ([word, quoted]) => quoted ?? word.replaceAll(/^\W+|\W+$/g, ''),
  )

/** The shares of each suite, as a table. */
export function sharesOf(suites: Readonly<Record<string, readonly Again[]>>): string {
  const rows = Object.entries(suites).map(([suite, all]) => {
    const count = (kind: Again) => all.filter((each) => each === kind).length
    const recipes = all.length - count('nothing to play')
    const share = (kind: Again) => `${count(kind)} (${((100 * count(kind)) / Math.max(1, recipes)).toFixed(0)} %)`
    return [suite, recipes, share('played to the end'), share('handed over'), count('wrong')]
  })
  const head = [
    ['suite', 'recipes', 'played to the end', 'handed over', 'wrong'],
    ['---', '---:', '---:', '---:', '---:'],
  ]
  return [...head, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
