import { pageContent } from '../../../actors/conversation/page-content.ts'
import type { JournalCall, JournalEntry } from '../../../machines/journal.ts'
import type { Deviation, Guard, RecipeVersion, Values } from '../../../machines/recipe.ts'
import { recipeOf } from '../../../machines/recipe-of.ts'
import { callOf, nextPlay } from '../../../machines/recipe-play.ts'
import { NO_USAGE } from '../../../machines/records.ts'
import { ToolError } from '../../../src/browser/act/cdp.ts'
import { textOfResult } from '../../../src/browser/act/result.ts'
import type { Executed, Tabs } from '../../../src/browser/task-tabs.ts'

/** What a model does: `on` is the line of the page that its ref is taken from. */
export interface Act {
  readonly tool: string
  readonly input?: Record<string, unknown>
  readonly on?: RegExp
}

type Result = Extract<JournalEntry, { kind: 'result' }>

/** A task in a real browser, with its journal as the service would keep it. */
class Run {
  readonly journal: JournalEntry[] = []
  readonly #tabs: Tabs
  readonly #taskId: string
  #step = 0
  #calls = 0

  constructor(tabs: Tabs, taskId: string) {
    this.#tabs = tabs
    this.#taskId = taskId
  }

  /** Carries out the calls of one reply; those behind one that fails, or leads elsewhere, are not run. */
  async reply(
    asked: readonly { readonly tool: string; readonly input: Record<string, unknown>; readonly guard: Guard }[],
    played?: { readonly from: number; readonly of: number },
  ): Promise<void> {
    const step = ++this.#step
    const calls = asked.map(
      ({ tool, input, guard }): JournalCall => ({
        ...{ requestId: `${this.#taskId} ${++this.#calls}`, tool, input, refusal: null },
        ...(played ? { guard } : {}),
      }),
    )
    const said = { text: '', usage: NO_USAGE, model: 'test', at: 0 }
    this.journal.push({ kind: 'reply', step, calls, ...said, ...(played ? { played } : {}) })
    let isHalted = false
    for (const [at, { requestId, tool, input }] of calls.entries()) {
      const common = { kind: 'result' as const, step, requestId, tool, screenshot: null, durationMs: 0, at: 0 }
      if (isHalted) {
        this.journal.push({ ...common, text: 'Not run.', failed: true })
        continue
      }
      const done = await this.run(tool, input, asked[at]?.guard ?? null)
      this.journal.push({ ...common, ...done })
      isHalted = done.failed || done.halts !== undefined
    }
  }

  async run(
    tool: string,
    input: Record<string, unknown>,
    guard: Guard | null,
  ): Promise<Omit<Result, 'kind' | 'step' | 'requestId' | 'tool' | 'screenshot' | 'durationMs' | 'at'>> {
    try {
      const done = await this.execute(tool, input, guard)
      return {
        text: `${done.said}\n${pageContent(done.content)}`,
        failed: false,
        ...(done.halts ? { halts: done.halts } : {}),
        ...(done.url ? { url: done.url } : {}),
        ...(done.act ? { act: done.act } : {}),
        ...(done.fingerprint === null ? {} : { state: done.fingerprint }),
      }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const { message, content, act } = error
      return { text: `Error: ${message}\n${pageContent(content)}`, failed: true, ...(act ? { act } : {}) }
    }
  }

  execute(tool: string, input: Record<string, unknown>, guard: Guard | null): Promise<Executed> {
    const never = new AbortController().signal
    return this.#tabs.execute(this.#taskId, tool, input, never, null, [], null, null, guard)
  }
}

/** What a model does once, and the recipe of it. Throws when an act fails. */
export async function recorded(
  tabs: Tabs,
  taskId: string,
  acts: readonly Act[],
  inputs: Values,
): Promise<RecipeVersion> {
  const run = new Run(tabs, taskId)
  for (const { tool, input = {}, on } of acts) {
    const page = on ? textOfResult(await run.execute('read_page', {}, null)) : ''
    const line = on && page.split('\n').find((candidate) => on.test(candidate))
    const ref = line && /\[((?:f\d+)?e\d+)\]/.exec(line)?.[1]
    if (on && !ref) throw new Error(`No line with a reference matches ${on}:\n${page}`)
    await run.reply([{ tool, input: { ...input, ...(ref ? { ref } : {}) }, guard: {} }])
    const last = run.journal.at(-1)
    if (last?.kind === 'result' && last.failed) throw new Error(last.text)
  }
  await tabs.end(taskId)
  const { steps, isWhole, unused } = recipeOf(run.journal, inputs)
  const counts = { modelCalls: acts.length, tokens: 0, costUsd: 0 }
  return { version: 1, taskId, madeAt: 0, steps, inputs, unused, isWhole, ...counts }
}

/** Plays a recipe to its end, or to where it deviates. */
export async function played(
  tabs: Tabs,
  taskId: string,
  version: RecipeVersion,
  inputs: Values,
): Promise<{ readonly deviation: Deviation | null; readonly read: string }> {
  const run = new Run(tabs, taskId)
  for (;;) {
    const next = nextPlay(version, run.journal, inputs)
    if (next.kind !== 'acts') {
      await tabs.end(taskId)
      const last = run.journal.at(-1)
      const read = last?.kind === 'result' ? last.text : ''
      return { deviation: next.kind === 'deviated' ? next.deviation : null, read }
    }
    const asked = next.steps.map((step) => ({ tool: step.tool, ...callOf(step, version, inputs) }))
    await run.reply(asked, { from: next.from, of: version.steps.length })
  }
}
