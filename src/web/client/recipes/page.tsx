import type { Recipe, RecipeSummary } from '../../../wire/recipes.ts'
import { messageOf, openApi, saveAs } from '../api.ts'
import { count, usd } from '../format.ts'
import type { IconName } from '../icons.tsx'
import { Table } from '../table.tsx'
import { Ago, Badge, Button, Empty, Loading, Menu, PageHead, Pre, Select, type Tone } from '../ui.tsx'
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
  const close = () => setShown(null)
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
          detail={({ id }) => (shown?.id === id ? <Steps key={id} recipe={shown} /> : null)}
          columns={[
            { head: 'Task', words: true, cell: ({ task }) => task },
            { head: 'State', bare: true, cell: (recipe) => <State {...recipe} /> },
            { head: 'Played', number: true, cell: ({ runs }) => runs.played },
            { head: 'Deviated', number: true, cell: ({ runs }) => runs.deviated },
            {
              head: 'Saved',
              number: true,
              cell: ({ runs }) => (
                <span>
                  {usd(runs.cost_usd_saved)} <small class="quiet">{count(runs.model_calls_saved, 'model call')}</small>
                </span>
              ),
            },
            { head: 'Changed', cell: ({ updated_at: at }) => <Ago at={at} now={Date.now()} /> },
            {
              head: 'Actions',
              cell: (recipe) => (
                <>
                  <Button
                    act={
                      shown?.id === recipe.id ? close : trying(async () => setShown(await api.recipes.get(recipe.id)))
                    }
                  >
                    {shown?.id === recipe.id ? 'Close' : 'Steps'}
                  </Button>
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
          <Button act={older}>Show more</Button>
        </p>
      )}
    </>
  )
}

const STATES = {
  disabled: ['plain', 'pause', 'Disabled'],
  stale: ['wait', 'warning', 'Stale'],
  trial: ['run', 'clock', 'On trial'],
  active: ['good', 'check', 'Active'],
} as const satisfies Record<string, readonly [Tone, IconName, string]>

/** Whether it is played, and which version of it. */
function State({ disabled, stale, version, trial_version: trial }: RecipeSummary) {
  const state = disabled ? 'disabled' : stale ? 'stale' : trial === null ? 'active' : 'trial'
  const [tone, icon, words] = STATES[state]
  const why = {
    disabled: 'It is not played',
    stale: 'The next success replaces it',
    trial: `Version ${trial} is played next`,
    active: `Version ${version}`,
  }
  return (
    <span>
      <Badge tone={tone} icon={icon}>
        {words}
      </Badge>{' '}
      <small class="quiet">{why[state]}</small>
    </span>
  )
}

/** The steps of a version that is kept, in words; the one on trial can be chosen. */
function Steps({ recipe: { task, version: current, versions } }: { readonly recipe: Recipe }) {
  const [chosen, setChosen] = useState(current)
  const shown = versions.find(({ version }) => version === chosen)
  if (!shown) return null
  return (
    <section class="recipe-steps" aria-label={`Steps of “${task}”`}>
      <div class="row">
        {versions.length === 1 ? null : (
          <Select
            label="Version"
            id="recipe-version"
            value={String(chosen)}
            options={versions.map(({ version }) => [
              String(version),
              `Version ${version}${version === current ? '' : ', on trial'}`,
            ])}
            change={(version) => setChosen(Number(version))}
          />
        )}
        <p class="quiet">
          Made of <a href={`/dashboard/tasks/${shown.task_id}`}>a task</a> with {count(shown.model_calls, 'model call')}{' '}
          for {usd(shown.cost_usd)}
        </p>
      </div>
      <ol>
        {shown.steps.map(({ step, text, irreversible, deviations }) => (
          <li key={step}>
            <StepWords text={text} />
            {irreversible ? (
              <>
                {' '}
                <Badge tone="wait" icon="warning">
                  Cannot be undone
                </Badge>
              </>
            ) : null}
            {deviations > 0 ? <small class="quiet"> deviated {count(deviations, 'time')}</small> : null}
          </li>
        ))}
      </ol>
      {shown.is_whole ? null : <p class="quiet">The model does the rest.</p>}
    </section>
  )
}

/** A step; what is named on the page and what comes from an input stand out. */
const StepWords = ({ text }: { readonly text: string }) => (
  <>
    {[...text.matchAll(/"(?:[^"\\]|\\.)*"|[^"]+|"/g)].map(({ 0: part, index }) =>
      part.startsWith('"') ? (
        <code key={index}>
          {[...part.matchAll(/\{\{.*?\}\}|(?:(?!\{\{).)+|./gs)].map(({ 0: words, index: at }) =>
            words.startsWith('{{') ? (
              <mark key={at} class="place">
                {words}
              </mark>
            ) : (
              words
            ),
          )}
        </code>
      ) : (
        part
      ),
    )}
  </>
)
