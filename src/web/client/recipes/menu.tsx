import type { Recipe, RecipeSummary } from '../../../wire/recipes.ts'
import { type Api, messageOf, saveAs } from '../api.ts'
import { Menu } from '../ui.tsx'

interface RecipeMenuProps {
  readonly api: Api
  readonly recipe: RecipeSummary
  /** Whether the reader may change recipes. */
  readonly mayAct: boolean
  refuse(message: string): void
  changed(recipe: Recipe): void
  deleted(): void
}

/** What else can be done with a recipe. */
export function RecipeMenu({ api, recipe, mayAct, refuse, changed, deleted }: RecipeMenuProps) {
  const { id, task, disabled } = recipe
  const trying = (work: () => Promise<void>) => () => work().catch((error) => refuse(messageOf(error)))
  const saveTest = trying(async () =>
    saveAs(new Blob([await api.recipes.playwright(id)]), `recipe-${id.slice(-8)}.spec.ts`),
  )
  const setDisabled = trying(async () => changed(await api.recipes.update(id, { disabled: !disabled })))
  const remove = trying(async () => {
    await api.recipes.delete(id)
    deleted()
  })
  return (
    <Menu
      of={task}
      items={[
        { words: 'Playwright test', act: saveTest },
        ...(mayAct
          ? [
              { words: disabled ? 'Enable' : 'Disable', act: setDisabled },
              {
                words: 'Delete',
                ends: true,
                question: `Delete the recipe of “${task}”? The next task like it asks the model again.`,
                act: remove,
              },
            ]
          : []),
      ]}
    />
  )
}
