import * as v from 'valibot'
import { absentable, count, integer, ms, uuid } from './fields.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './limits.ts'
import { listOf } from './list.ts'

/** [J13] */
export const RecipeListQuery = v.object({
  limit: v.optional(integer(1, PAGE_SIZE_MAX), PAGE_SIZE_DEFAULT),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a next_cursor returned by this list'))),
})

/** [J14] `playwright` instead of JSON. */
export const RecipeQuery = v.object({
  format: v.optional(v.picklist(['json', 'playwright'], 'must be json or playwright')),
})

/** [J13] What is left out or null stays as it is. */
export const ChangeRecipeBody = v.strictObject({ disabled: absentable(v.boolean('must be true or false')) })

/** How often it was played to its end, how often it deviated, and what that saved. */
export const RecipeRuns = v.object({
  played: count,
  deviated: count,
  model_calls_saved: count,
  cost_usd_saved: v.number(),
})

/** A recipe as lists show it. */
export const RecipeSummary = v.object({
  id: uuid,
  task: v.string(),
  url: v.nullable(v.string()),
  version: count,
  /** A version that a task has made by going on where the recipe did not: it is played next. */
  trial_version: v.nullable(count),
  disabled: v.boolean(),
  stale: v.boolean(),
  runs: RecipeRuns,
  created_at: ms,
  updated_at: ms,
})

/** One step of a recipe, in words. */
export const RecipeStep = v.object({
  step: count,
  text: v.string(),
  /** It is passed over where its target is not there. */
  optional: v.boolean(),
  /** It cannot be undone: its terms are compared before it is done. */
  irreversible: v.boolean(),
  /** How often the recipe deviated here since it last played to its end. */
  deviations: count,
})

export const RecipeVersion = v.object({
  version: count,
  task_id: v.string(),
  made_at: ms,
  inputs: v.array(v.string()),
  unused_inputs: v.array(v.string()),
  /** False: from its end on the model works. */
  is_whole: v.boolean(),
  model_calls: count,
  cost_usd: v.number(),
  steps: v.array(RecipeStep),
})

export const Recipe = v.object({ ...RecipeSummary.entries, versions: v.array(RecipeVersion) })
export type Recipe = v.InferOutput<typeof Recipe>
export type RecipeSummary = v.InferOutput<typeof RecipeSummary>

export const RecipeList = listOf('recipes', RecipeSummary)
