import type { RecipeSummary } from '../../../wire/recipes.ts'
import { messageOf, openApi } from '../api.ts'
import { count, usd } from '../format.ts'
import type { IconName } from '../icons.tsx'
import { Table } from '../table.tsx'
import { Ago, Badge, Button, CodeBox, Empty, Loading, PageHead, type Tone } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'
import { RecipeMenu } from './menu.tsx'

interface RecipesPageProps {
  readonly workspaceId: string
  /** Whether the reader may change recipes. */
  readonly mayAct: boolean
}

/** [J16] The recipes of a workspace: how often each was played, and what that saved. */
export function RecipesPage({ workspaceId, mayAct }: RecipesPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, setAnswer, failed } = useAnswer(() => api.request('GET /v1/recipes'), [api])
  const [refused, setRefused] = useState<string | null>(null)
  if (answer === null) return <Loading failed={failed} />
  const { data: recipes, next_cursor: cursor } = answer
  const more = async () => {
    const page = await api.request('GET /v1/recipes', { query: { cursor: cursor ?? undefined } })
    setAnswer({ ...page, data: [...recipes, ...page.data] })
  }
  const replace = (id: string, changed: readonly RecipeSummary[]) =>
    setAnswer({ ...answer, data: recipes.flatMap((each) => (each.id === id ? changed : [each])) })
  return (
    <>
      <PageHead failed={refused ?? failed} docs={['/docs/recipes', 'How recipes work']}>
        A recipe does again what a task did once, without a model.
      </PageHead>
      {recipes.length === 0 ? (
        <Empty
          title="No recipes yet"
          icon="again"
          action={
            mayAct ? (
              <a class="button" href={`/dashboard?workspace=${workspaceId}`}>
                Start a task
              </a>
            ) : null
          }
        >
          <p>Start a task like this, with places in its text for what changes:</p>
          <CodeBox
            label="A task that makes a recipe"
            text={'{\n  "task": "Order {{goods}}",\n  "inputs": {"goods": "tea"},\n  "recipe": "auto"\n}'}
          />
          <p>When it has succeeded, the next one plays its steps, in seconds and without the cost of a model.</p>
        </Empty>
      ) : (
        <Table
          label="Recipes"
          caption="The recipes, newest first"
          rows={recipes}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Task',
              words: true,
              cell: ({ id, task }) => <a href={`/dashboard/recipes/${id}?workspace=${workspaceId}`}>{task}</a>,
            },
            { head: 'State', bare: true, cell: (recipe) => <RecipeState {...recipe} /> },
            { head: 'Played', number: true, cell: ({ runs }) => runs.played },
            { head: 'Handed over', number: true, cell: ({ runs }) => runs.deviated },
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
                <RecipeMenu
                  api={api}
                  recipe={recipe}
                  mayAct={mayAct}
                  refuse={setRefused}
                  changed={(next) => replace(recipe.id, [next])}
                  deleted={() => replace(recipe.id, [])}
                />
              ),
            },
          ]}
        />
      )}
      {cursor === null ? null : (
        <p>
          <Button act={() => more().catch((error) => setRefused(messageOf(error)))}>Show more</Button>
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
export function RecipeState({ disabled, stale, version, trial_version: trial }: RecipeSummary) {
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
