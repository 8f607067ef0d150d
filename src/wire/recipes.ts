import * as v from 'valibot'
import { AT, RECIPE, TASK } from './example-values.ts'
import { absentable, count, created_at, field, first_url, ms, uuid } from './fields.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './limits.ts'
import { listOf, pageCursor, pageLimit } from './list.ts'

/** [J13] */
export const RecipeListQuery = v.object({
  limit: pageLimit(PAGE_SIZE_MAX, PAGE_SIZE_DEFAULT),
  cursor: pageCursor,
})

/** [J14] `playwright` instead of JSON. */
export const RecipeQuery = v.object({
  format: field(
    v.optional(v.picklist(['json', 'playwright'], 'must be json or playwright')),
    'In place of `Accept`.',
    'playwright',
  ),
})

/** [J13] What is left out or null stays as it is. */
export const ChangeRecipeBody = v.strictObject({
  disabled: field(absentable(v.boolean('must be true or false')), 'Whether it is not to be played.', true),
})

/** How often it was played to its end, how often it deviated, and what that saved. */
export const RecipeRuns = v.object({
  played: field(count, 'Runs to its end.', 12),
  deviated: field(count, 'Runs that deviated.', 1),
  model_calls_saved: field(count, 'Model calls that were not needed.', 168),
  cost_usd_saved: field(v.number(), 'Their cost in USD.', 1.42),
})

const version = field(count, 'The version of the recipe.', 1)

/** A recipe as lists show it. */
export const RecipeSummary = v.object({
  id: field(uuid, 'The id.', RECIPE),
  task: field(v.string(), 'The task with its places.', 'Order {{count}} pieces of {{goods}}'),
  url: first_url,
  version,
  /** A version that a task has made by going on where the recipe did not: it is played next. */
  trial_version: field(v.nullable(count), 'The version on trial: played next.', null),
  disabled: field(v.boolean(), 'It is not played.', false),
  stale: field(v.boolean(), 'A success of the model replaces it.', false),
  runs: field(RecipeRuns, 'How it went so far.'),
  created_at,
  updated_at: field(ms, 'When it last changed, in ms since 1970.', AT),
})

/** One step of a recipe, in words. */
export const RecipeStep = v.object({
  step: field(count, 'Number of the step, from 1.', 9),
  text: field(v.string(), 'What is done.', 'click button "Place order"'),
  expects: field(
    v.nullable(v.string()),
    'What is on the page after it; `*` stands for any value.',
    'the page https://shop.example/orders/* with one of heading "Thank you"',
  ),
  /** It is passed over where its target is not there. */
  optional: field(v.boolean(), 'May be absent.', false),
  /** It cannot be undone: its terms are compared before it is done. */
  irreversible: field(v.boolean(), 'Its terms are compared first.', true),
  /** Without hidden fields and without values. */
  compared: field(v.array(v.string()), 'Before it: the form and its fields.', [
    'POST https://shop.example/orders',
    'quantity',
  ]),
  /** How often the recipe deviated here since it last played to its end. */
  deviations: field(count, 'Deviations here.', 0),
})

export const RecipeVersion = v.object({
  version,
  task_id: field(v.string(), 'The task that it was made of.', TASK),
  made_at: field(ms, 'When it was made, in ms since 1970.', AT),
  inputs: field(v.array(v.string()), 'The inputs that it knows.', ['goods', 'count']),
  unused_inputs: field(
    v.array(v.string()),
    'Inputs that no act depends on: with another value the recipe deviates before its first act.',
    [],
  ),
  /** False: from its end on the model works. */
  is_whole: field(v.boolean(), 'False: the model does the rest.', true),
  model_calls: field(count, 'Model calls of that task.', 15),
  cost_usd: field(v.number(), 'Their cost in USD.', 0.12),
  steps: field(v.array(RecipeStep), 'What it does, in its order.'),
})

export const Recipe = v.object({
  ...RecipeSummary.entries,
  versions: field(v.array(RecipeVersion), 'The current one, and one on trial.'),
})
export type Recipe = v.InferOutput<typeof Recipe>
export type RecipeSummary = v.InferOutput<typeof RecipeSummary>

export const RecipeList = listOf('recipes', RecipeSummary, 'A page of recipes, newest first.')
