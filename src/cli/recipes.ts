import type { Api } from '../client/index.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { invocation } from './invocation.ts'
import { pairs, say, table } from './terminal.ts'

interface Options extends ServiceOptions {
  readonly json?: boolean
}

/** [Q20] Prints the recipes of the workspace, newest first. */
export async function listRecipes({ json, ...options }: Options): Promise<void> {
  const recipes: Api.RecipeSummary[] = []
  for await (const recipe of clientOf(options).recipes.list()) recipes.push(recipe)
  if (json) {
    for (const recipe of recipes) say(JSON.stringify(recipe))
    return
  }
  if (recipes.length === 0) say(`No recipes yet. Make one: ${invocation.command} run --recipe auto "…"`)
  else
    say(
      table(
        ['ID', 'TASK', 'PLAYED', 'SAVED', ''],
        recipes.map(({ id, task, runs, disabled, stale }) => [
          id,
          task.length > TASK_CHARS_MAX ? `${task.slice(0, TASK_CHARS_MAX - 1)}…` : task,
          String(runs.played),
          `${runs.model_calls_saved} model calls`,
          disabled ? 'disabled' : stale ? 'stale' : '',
        ]),
      ),
    )
}
const TASK_CHARS_MAX = 60

/** [Q20] Prints a recipe with its steps in words. */
export async function showRecipe(id: string, { json, ...options }: Options): Promise<void> {
  const recipe = await clientOf(options).recipes.get(id)
  if (json) {
    say(JSON.stringify(recipe))
    return
  }
  const { task, version, runs, disabled, stale, versions } = recipe
  const state = disabled ? 'disabled' : stale ? 'stale: the next success of a model replaces it' : 'in use'
  say(
    pairs([
      ['Task', task],
      ['Version', `${version}, ${state}`],
      ['Runs', `${runs.played} to the end, ${runs.deviated} deviated`],
      ['Saved', `${runs.model_calls_saved} model calls, $${runs.cost_usd_saved.toFixed(2)}`],
    ]),
  )
  for (const { version: number, steps, is_whole } of versions) {
    say()
    say(number === version ? `Version ${number}` : `Version ${number}, on trial`)
    for (const { step, text, irreversible, deviations } of steps)
      say(
        `${String(step).padStart(3)}. ${text}${irreversible ? ' (cannot be undone)' : ''}${deviations > 0 ? ` (deviated ${deviations} times)` : ''}`,
      )
    if (!is_whole) say('     The model does the rest.')
  }
}

/** [Q20] Prints a recipe as a Playwright test. */
export async function exportRecipe(id: string, options: ServiceOptions): Promise<void> {
  process.stdout.write(await clientOf(options).recipes.playwright(id))
}

/** [Q20] Disables or enables a recipe, or deletes it. */
export async function changeRecipe(
  what: 'disable' | 'enable' | 'delete',
  id: string,
  options: ServiceOptions,
): Promise<void> {
  const { recipes } = clientOf(options)
  await (what === 'delete' ? recipes.delete(id) : recipes.update(id, { disabled: what === 'disable' }))
  say({ disable: 'Disabled.', enable: 'Enabled.', delete: 'Deleted.' }[what])
}
