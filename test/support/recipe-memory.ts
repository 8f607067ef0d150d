import { randomUUID } from 'node:crypto'
import type { Store } from '../../actors/runtime/ports.ts'
import type { RecipeRecord } from '../../machines/recipe.ts'
import { THEN } from './stores.ts'

/** Recipes in memory, by their ids. */
export function recipeMemory(kept: Map<string, RecipeRecord>): Store['recipes'] {
  const ofTemplate = (workspaceId: string, templateHash: string) =>
    [...kept.values()].find((each) => each.workspaceId === workspaceId && each.templateHash === templateHash) ?? null
  return {
    get: async (id) => kept.get(id) ?? null,
    ofTemplate: async (workspaceId, templateHash) => ofTemplate(workspaceId, templateHash),
    list: async ({ workspaceId, after, limit }) =>
      [...kept.values()]
        .filter((each) => each.workspaceId === workspaceId)
        .sort((one, other) => other.createdAt - one.createdAt || (other.id < one.id ? -1 : 1))
        .filter(
          ({ createdAt, id }) =>
            !after || createdAt < after.createdAt || (createdAt === after.createdAt && id < after.id),
        )
        .slice(0, limit),
    async change(workspaceId, templateHash, decide) {
      const now = ofTemplate(workspaceId, templateHash)
      const next = decide(now)
      if (next) kept.set(next.id, next)
      return next ?? now
    },
    async remove(workspaceId, id) {
      return kept.get(id)?.workspaceId === workspaceId && kept.delete(id)
    },
  }
}

/** A recipe that was never played. */
export const aRecipe = (fields: Partial<RecipeRecord> = {}): RecipeRecord => ({
  ...{ id: randomUUID(), workspaceId: randomUUID(), templateHash: randomUUID(), task: 'Buy {{goods}}', url: null },
  ...{ createdAt: THEN, updatedAt: THEN, disabled: false, stale: false, trial: null, deviations: {}, counted: [] },
  current: {
    ...{ version: 1, taskId: randomUUID(), madeAt: THEN, inputs: { goods: 'tea' }, unused: [], isWhole: true },
    ...{ modelCalls: 5, tokens: 100, costUsd: 0.1 },
    // Names of inputs may be such as a database does not take for its fields.
    steps: [{ tool: 'navigate', input: { url: 'https://{{goods}}.example/' }, group: 1 }],
  },
  runs: { played: 0, deviated: 0, modelCallsSaved: 0, costUsdSaved: 0 },
  ...fields,
})
