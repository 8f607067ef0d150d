import { createHash } from 'node:crypto'
import type { Store } from '../../../actors/runtime/ports.ts'
import type { RecipeMode, RecipeUse } from '../../../machines/recipe.ts'
import { versionToPlay } from '../../../machines/recipe-record.ts'
import type { TaskRequest } from '../../../machines/records.ts'

/** [J5] What makes two tasks the same for a recipe: their texts with places, the schema, and the domains that were asked for. */
const hashOf = ({ task, url, context, outputSchema, allowedDomains }: TaskRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([task, url, context, outputSchema ?? null, [...(allowedDomains ?? [])].sort()]))
    .digest('hex')

/** [J5] How a start whose texts still have their places uses recipes; a text: why it cannot. */
export async function recipeUse(
  store: Pick<Store, 'recipes'>,
  workspaceId: string,
  mode: RecipeMode | null,
  request: TaskRequest,
): Promise<RecipeUse | null | string> {
  if (mode === null || mode === 'off') return null
  if (request.continuesTaskId) return 'recipe must be off in a task that continues another'
  const templateHash = hashOf(request)
  const version = mode === 'new' ? null : await store.recipes.ofTemplate(workspaceId, templateHash)
  const plays = version && versionToPlay(version)
  if (mode === 'only' && !plays) return 'recipe_missing'
  return { mode, templateHash, plays: version && plays ? { id: version.id, version: plays.version } : null }
}
