import type { Deviation, RecipeRecord, RecipeUse, RecipeVersion, Values } from './recipe.ts'
import type { Distilled } from './recipe-of.ts'
import type { Ms } from './records.ts'

/** [J5, J10] What becomes of a recipe when a task has ended that played it, or may make one. Pure. */

export interface EndedRun {
  readonly taskId: string
  readonly workspaceId: string
  readonly use: RecipeUse
  readonly task: string
  readonly url: string | null
  readonly inputs: Values
  readonly at: Ms
  readonly isComplete: boolean
  readonly deviation: Deviation | null
  /** What its model took. */
  readonly modelCalls: number
  readonly tokens: number
  readonly costUsd: number
  /** Of a complete task. */
  readonly distilled: Distilled | null
}

/** So many tasks are known to be counted already: an ending is written again after a crash. */
const COUNTED_MAX = 20
/** So often a recipe may deviate at the same step without a success. */
const DEVIATIONS_MAX = 2
export const RECIPE_STEPS_MAX = 200

/** What is kept of the recipe then; `null`: nothing changes. `newId` names one that is made. */
export function afterRun(now: RecipeRecord | null, run: EndedRun, newId: string): RecipeRecord | null {
  if (now?.counted.includes(run.taskId)) return null
  const { plays, mode } = run.use
  if (plays === null) {
    if (now?.disabled && mode !== 'new') return null
    const version = versionOf(now, run)
    return version && { ...(now ?? newRecord(run, newId, version)), ...made(version), ...seen(now, run) }
  }
  if (now?.id !== plays.id) return null
  const counted = seen(now, run)
  const isTrial = now.trial?.version === plays.version
  const played = [now.current, now.trial].find((version) => version?.version === plays.version)
  if (run.deviation === null) {
    if (!run.isComplete || !played) return { ...now, ...counted }
    return {
      ...now,
      ...counted,
      ...(isTrial && now.trial ? { current: now.trial, trial: null } : {}),
      deviations: {},
      runs: {
        ...now.runs,
        played: now.runs.played + 1,
        modelCallsSaved: now.runs.modelCallsSaved + Math.max(0, played.modelCalls - run.modelCalls),
        costUsdSaved: now.runs.costUsdSaved + Math.max(0, played.costUsd - run.costUsd),
      },
    }
  }
  const runs = { ...now.runs, deviated: now.runs.deviated + 1 }
  const step = String(run.deviation.step)
  const trial = versionOf(now, run)
  if (run.isComplete)
    return { ...now, ...counted, runs, deviations: { ...now.deviations, [step]: 0 }, ...(trial ? { trial } : {}) }
  const times = (now.deviations[step] ?? 0) + 1
  return {
    ...now,
    ...counted,
    runs,
    deviations: { ...now.deviations, [step]: times },
    stale: now.stale || times >= DEVIATIONS_MAX,
    // What a model had found out once does not hold.
    ...(isTrial ? { trial: null } : {}),
  }
}

/** What a task with this mode plays. */
export function versionToPlay(recipe: RecipeRecord | null): RecipeVersion | null {
  if (!recipe || recipe.disabled || recipe.stale) return null
  return recipe.trial ?? recipe.current
}

function versionOf(now: RecipeRecord | null, run: EndedRun): RecipeVersion | null {
  const { distilled, taskId, at, inputs, modelCalls, tokens, costUsd } = run
  if (!run.isComplete || !distilled) return null
  const { steps, isWhole, unused, output } = distilled
  if (steps.every(({ reads }) => reads) || steps.length > RECIPE_STEPS_MAX) return null
  const version = Math.max(now?.current.version ?? 0, now?.trial?.version ?? 0) + 1
  return { version, taskId, madeAt: at, steps, inputs, unused, isWhole, output, modelCalls, tokens, costUsd }
}

const made = (current: RecipeVersion) => ({ current, trial: null, stale: false, deviations: {} })

const seen = (now: RecipeRecord | null, { taskId, at }: EndedRun) => ({
  updatedAt: at,
  counted: [...(now?.counted ?? []), taskId].slice(-COUNTED_MAX),
})

const newRecord = (
  { workspaceId, use, task, url, at }: EndedRun,
  id: string,
  current: RecipeVersion,
): RecipeRecord => ({
  ...{ id, workspaceId, templateHash: use.templateHash, task, url, createdAt: at, updatedAt: at },
  ...{ disabled: false, stale: false, current, trial: null, deviations: {}, counted: [] },
  runs: { played: 0, deviated: 0, modelCallsSaved: 0, costUsdSaved: 0 },
})
