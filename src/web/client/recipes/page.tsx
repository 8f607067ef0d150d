import type { Recipe, RecipeSummary } from '../../../wire/recipes.ts'
import { messageOf, openApi, saveAs } from '../api.ts'
import { ago, usd } from '../format.ts'
import { Table } from '../table.tsx'
import { Button, Empty, Loading, Menu, PageHead, Pre } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'

interface RecipesPageProps {
  readonly workspaceId: string
  /** Whether the reader may change recipes. */
  readonly mayAct: boolean
}

/** [J16] The recipes of a workspace: what each does in words, how often it was played, and what that saved. */
export function RecipesPage({ workspaceId, mayAct }: RecipesPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, setAnswer, failed } = useAnswer(() => api.request('GET /v1/recipes'), [api])
  const [refused, setRefused] = useState<string | null>(null)
  const [shown, setShown] = useState<Recipe | null>(null)
  if (answer === null) return <Loading failed={failed} />
  const { data: recipes, next_cursor: cursor } = answer
  const trying = (work: () => Promise<void>) => () => work().catch((error) => setRefused(messageOf(error)))
  const older = trying(async () => {
    const page = await api.request('GET /v1/recipes', { query: { cursor: cursor ?? undefined } })
    setAnswer({ ...page, data: [...recipes, ...page.data] })
  })
  const setDisabled = ({ id, disabled }: RecipeSummary) =>
    trying(async () => {
      const changed = await api.recipes.update(id, { disabled: !disabled })
      setAnswer({ ...answer, data: recipes.map((each) => (each.id === id ? { ...each, ...changed } : each)) })
    })
  const remove = ({ id }: RecipeSummary) =>
    trying(async () => {
      await api.recipes.delete(id)
      setAnswer({ ...answer, data: recipes.filter((each) => each.id !== id) })
      if (shown?.id === id) setShown(null)
    })
  const saveTest = ({ id }: RecipeSummary) =>
    trying(async () => saveAs(new Blob([await api.recipes.playwright(id)]), `recipe-${id.slice(-8)}.spec.ts`))
  return (
    <>
      <PageHead failed={refused ?? failed} docs={['/docs/recipes', 'How recipes work']}>
        A recipe does again what a task did once, without a model.
      </PageHead>
      {recipes.length === 0 ? (
        <Empty title="No recipes yet" icon="again">
          <p>Start a task like this, with places in its text for what changes:</p>
          <Pre label="A task that makes a recipe">
            {'{\n  "task": "Order {{goods}}",\n  "inputs": {"goods": "tea"},\n  "recipe": "auto"\n}'}
          </Pre>
          <p>When it has succeeded, the next one plays its steps, in seconds and without the cost of a model.</p>
        </Empty>
      ) : (
        <Table
          label="Recipes"
          caption="The recipes, newest first"
          rows={recipes}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Task', words: true, cell: ({ task }) => task },
            { head: 'State', cell: stateOf },
            { head: 'Played', number: true, cell: ({ runs }) => runs.played },
            { head: 'Deviated', number: true, cell: ({ runs }) => runs.deviated },
            {
              head: 'Saved',
              cell: ({ runs }) => `${runs.model_calls_saved} model calls, ${usd(runs.cost_usd_saved)}`,
            },
            { head: 'Changed', cell: ({ updated_at: at }) => ago(at, Date.now()) },
            {
              head: 'Actions',
              cell: (recipe) => (
                <>
                  <Button act={trying(async () => setShown(await api.recipes.get(recipe.id)))}>Steps</Button>
                  <Menu
                    of={recipe.task}
                    items={[
                      { words: 'Playwright test', act: saveTest(recipe) },
                      ...(mayAct
                        ? [
                            { words: recipe.disabled ? 'Enable' : 'Disable', act: setDisabled(recipe) },
                            {
                              words: 'Delete',
                              ends: true,
                              question: `Delete the recipe of “${recipe.task}”? The next task like it asks the model again.`,
                              act: remove(recipe),
                            },
                          ]
                        : []),
                    ]}
                  />
                </>
              ),
            },
          ]}
        />
      )}
      {cursor === null ? null : (
        <p>
          <Button act={older}>Older recipes</Button>
        </p>
      )}
      {shown === null ? null : <Steps recipe={shown} />}
    </>
  )
}

const stateOf = ({ disabled, stale, version, trial_version: trial }: RecipeSummary): string =>
  disabled
    ? 'disabled'
    : stale
      ? 'stale: the next success replaces it'
      : trial === null
        ? `version ${version}`
        : `version ${version}, and ${trial} on trial`

/** The steps of each version that is kept, in words. */
const Steps = ({ recipe: { task, version: current, versions } }: { readonly recipe: Recipe }) => (
  <section aria-labelledby="steps-title">
    <h2 id="steps-title">Steps of “{task}”</h2>
    {versions.map(({ version, steps, is_whole, task_id }) => (
      <div key={version}>
        <p>
          Version {version}
          {version === current ? '' : ', on trial'}, made of <a href={`/dashboard/tasks/${task_id}`}>a task</a>
        </p>
        <ol>
          {steps.map(({ step, text, irreversible, deviations }) => (
            <li key={step}>
              {text}
              {irreversible ? ' (cannot be undone)' : ''}
              {deviations > 0 ? ` (deviated ${deviations} times)` : ''}
            </li>
          ))}
        </ol>
        {is_whole ? null : <p>The model does the rest.</p>}
      </div>
    ))}
  </section>
)
