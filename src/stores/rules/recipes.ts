import type { Store } from '../../../actors/runtime/ports.ts'
import type { RecipeRecord } from '../../../machines/recipe.ts'
import { UniqueConflict } from '../errors.ts'
import { collected, type Driver, removeOwn } from '../port.ts'
import { RECIPES } from '../tables.ts'

/** [J5] Recipes: one of each template in a workspace. */
export const recipesOf = (driver: Driver): Store['recipes'] => ({
  get: (id) => driver.get(RECIPES, id),
  ofTemplate: (workspaceId, templateHash) => driver.find(RECIPES, 'templates', workspaceId, templateHash),
  list: ({ workspaceId, after, limit }) =>
    collected(
      driver.range(RECIPES, 'by-age', {
        ...{ of: [workspaceId], limit, down: true },
        after: after ? [after.createdAt, after.id] : undefined,
      }),
    ),
  async change(workspaceId, templateHash, decide) {
    const change = () =>
      driver.transact(async (tx): Promise<RecipeRecord | null> => {
        const found = await tx.find(RECIPES, 'templates', workspaceId, templateHash)
        // By its key it is guarded: nobody changes it until this is written.
        const now = found && (await tx.get(RECIPES, found.id))
        const next = decide(now)
        if (next === null) return now
        if (now === null) tx.insert(RECIPES, next)
        else tx.put(RECIPES, next)
        return next
      })
    // Two of them that find none insert one: the other one finds it then.
    return change().catch((error: unknown) => {
      if (error instanceof UniqueConflict) return change()
      throw error
    })
  },
  remove: (workspaceId, id) => removeOwn(driver, RECIPES, workspaceId, id),
})
