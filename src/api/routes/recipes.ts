import type { RecipeRecord, RecipeVersion } from '../../../machines/recipe.ts'
import { expectationWords, stepWords } from '../../../machines/recipe-play.ts'
import { playwrightTest } from '../../../machines/recipe-playwright.ts'
import { isUuid } from '../../../machines/uuid.ts'
import type { Response } from '../../net/transport.ts'
import { pageOf } from '../../wire/list.ts'
import {
  ChangeRecipeBody,
  Recipe,
  RecipeList,
  RecipeListQuery,
  RecipeQuery,
  type RecipeSummary,
} from '../../wire/recipes.ts'
import { Deleted } from '../../wire/sessions.ts'
import { accepts } from '../accepts.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Principal, type Route } from '../route.ts'
import { cursorOf, positionOf } from './cursor.ts'

const tag = 'Recipes'
const action = 'access tasks'
const PLAYWRIGHT = 'text/x-playwright'
const NO_RECIPE = { 404: ['recipe_not_found'] }

/** [J13] The recipes of a workspace. */
export function recipeRoutes({ store, clock }: Pick<HttpDeps, 'store' | 'clock'>): readonly Route[] {
  const own = async ({ workspaceId }: Principal, id = ''): Promise<RecipeRecord | null> => {
    const record = isUuid(id) ? await store.recipes.get(id) : null
    return record?.workspaceId === workspaceId ? record : null
  }
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/recipes',
      action,
      query: RecipeListQuery,
      about: { summary: 'List recipes', tag, answers: { 200: RecipeList } },
      run: async ({ principal: { workspaceId }, query: { limit, cursor } }) => {
        const after = cursor === undefined ? null : positionOf(cursor)
        if (cursor !== undefined && after === null) return refuse('cursor_invalid')
        const records = await store.recipes.list({ workspaceId, after, limit: limit + 1 })
        const shown = records.slice(0, limit)
        const last = shown.at(-1)
        return json(
          200,
          pageOf('recipes', shown.map(summaryJson), records.length > limit && last ? cursorOf(last) : null),
        )
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/recipes/:id',
      action,
      query: RecipeQuery,
      about: {
        summary: 'Get a recipe',
        tag,
        answers: { 200: [Recipe, PLAYWRIGHT] },
        errors: NO_RECIPE,
      },
      run: async ({ principal, params: [id], query: { format }, request }) => {
        const record = await own(principal, id)
        if (!record) return refuse('recipe_not_found')
        const asTest = format === undefined ? accepts(request.headers.accept, PLAYWRIGHT) : format === 'playwright'
        return asTest ? testOf(record) : json(200, recipeJson(record))
      },
    }),
    keyRoute({
      method: 'PATCH',
      path: '/v1/recipes/:id',
      action,
      body: ChangeRecipeBody,
      about: { summary: 'Update a recipe', tag, answers: { 200: Recipe }, errors: NO_RECIPE },
      run: async ({ principal, params: [id], body: { disabled } }) => {
        const record = await own(principal, id)
        if (!record) return refuse('recipe_not_found')
        const { workspaceId, templateHash } = record
        const updatedAt = clock.now()
        const changed = await store.recipes.change(workspaceId, templateHash, (now) =>
          now?.id === record.id && disabled !== null ? { ...now, disabled, updatedAt } : null,
        )
        return changed?.id === record.id ? json(200, recipeJson(changed)) : refuse('recipe_not_found')
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/recipes/:id',
      action,
      about: { summary: 'Delete a recipe', tag, answers: { 200: Deleted }, errors: NO_RECIPE },
      run: async ({ principal: { workspaceId }, params: [id = ''] }) => {
        const deleted = isUuid(id) && (await store.recipes.remove(workspaceId, id))
        return deleted ? json(200, { id, deleted } satisfies Deleted) : refuse('recipe_not_found')
      },
    }),
  ]
}

const testOf = ({ task, current }: RecipeRecord): Response => ({
  status: 200,
  headers: [['Content-Type', `${PLAYWRIGHT}; charset=utf-8`]],
  body: playwrightTest(task, current),
})

const summaryJson = (record: RecipeRecord): RecipeSummary => ({
  id: record.id,
  task: record.task,
  url: record.url,
  version: record.current.version,
  trial_version: record.trial?.version ?? null,
  disabled: record.disabled,
  stale: record.stale,
  runs: {
    played: record.runs.played,
    deviated: record.runs.deviated,
    model_calls_saved: record.runs.modelCallsSaved,
    cost_usd_saved: record.runs.costUsdSaved,
  },
  created_at: record.createdAt,
  updated_at: record.updatedAt,
})

const recipeJson = (record: RecipeRecord): Recipe => ({
  ...summaryJson(record),
  versions: [record.current, ...(record.trial ? [record.trial] : [])].map((version) =>
    versionJson(version, record.deviations),
  ),
})

const versionJson = (version: RecipeVersion, deviations: RecipeRecord['deviations']): Recipe['versions'][number] => ({
  version: version.version,
  task_id: version.taskId,
  made_at: version.madeAt,
  inputs: Object.keys(version.inputs),
  unused_inputs: [...version.unused],
  is_whole: version.isWhole,
  model_calls: version.modelCalls,
  cost_usd: version.costUsd,
  steps: version.steps.map((step, at) => ({
    step: at + 1,
    text: stepWords(step, null),
    expects: step.expect ? expectationWords(step, null) : null,
    optional: step.optional ?? false,
    irreversible: step.terms !== undefined,
    compared: comparedIn(step),
    deviations: deviations[String(at + 1)] ?? 0,
  })),
})

/** Names alone: what was in the fields may be a person's own. */
const comparedIn = ({ terms }: RecipeVersion['steps'][number]): string[] =>
  terms === undefined
    ? []
    : [
        ...(terms.form === null ? [] : [terms.form]),
        ...terms.fields.filter(({ hidden }) => !hidden).map(({ name }) => name),
      ]
