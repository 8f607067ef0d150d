import type { Recipe } from '../../../wire/recipes.ts'
import { type Api, type BrowserSession, openApi } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { FormButton } from '../form.tsx'
import { count, usd } from '../format.ts'
import { Ago, Badge, Failure, Loading, Select, TitleActions } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'
import { RecipeMenu } from './menu.tsx'
import { RecipeState } from './page.tsx'

interface RecipePageProps {
  readonly workspaceId: string
  readonly recipeId: string
  /** Whether the reader may play and change recipes. */
  readonly mayAct: boolean
}
type Version = Recipe['versions'][number]
type Step = Version['steps'][number]

/** [J16] One recipe: what it does in words, what it checks, how its runs went, and what the model changed. */
export function RecipePage({ workspaceId, recipeId, mayAct }: RecipePageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer: recipe, setAnswer, failed } = useAnswer<Recipe>(() => api.recipes.get(recipeId), [api])
  const [refused, setRefused] = useState<string | null>(null)
  if (recipe === null) return <Loading failed={failed} />
  const { runs, url, versions } = recipe
  return (
    <>
      <TitleActions>
        {mayAct && !recipe.disabled ? <Run api={api} workspaceId={workspaceId} recipe={recipe} /> : null}
        <RecipeMenu
          api={api}
          recipe={recipe}
          mayAct={mayAct}
          refuse={setRefused}
          changed={setAnswer}
          deleted={() => location.assign(`/dashboard/recipes?workspace=${workspaceId}`)}
        />
      </TitleActions>
      <Failure message={refused} />
      <div class="facts">
        <RecipeState {...recipe} />
        {url === null ? null : <span class="quiet words">{url}</span>}
      </div>
      <dl class="figures">
        {[
          ['Played to its end', runs.played.toLocaleString('en')],
          ['Handed over to the model', runs.deviated.toLocaleString('en')],
          ['Saved', usd(runs.cost_usd_saved)],
          ['Model calls saved', runs.model_calls_saved.toLocaleString('en')],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Versions all={versions} workspaceId={workspaceId} />
    </>
  )
}

interface RunProps {
  readonly api: Api
  readonly workspaceId: string
  readonly recipe: Recipe
}

/** Starts the task that the recipe was made of once more, with other inputs. */
function Run({ api, workspaceId, recipe: { versions } }: RunProps) {
  const connected = useAnswer<readonly BrowserSession[]>(
    async () => (await api.request('GET /v1/browser-sessions', { query: { status: 'connected' } })).data,
    [api],
  )
  const [current] = versions
  if (current === undefined) return null
  const start = async ({ browser = '', ...given }: Readonly<Record<string, string>>) => {
    const { id } = await api.tasks.rerun(current.task_id, {
      recipe: 'auto',
      inputs: Object.fromEntries(current.inputs.map((name) => [name, asInput(given[`input-${name}`] ?? '')])),
      ...(browser === '' ? {} : { browser_session_id: browser }),
    })
    location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
  }
  return (
    <FormButton
      opens="Run"
      title="Run the recipe"
      button="Run"
      send={start}
      fields={[
        ...current.inputs.map((name) => ({ name: `input-${name}`, label: name, required: true })),
        {
          name: 'browser',
          label: 'Browser',
          options: [
            ...(connected.answer ?? []).map((browser) => [browser.id, nameOf(browser)] as const),
            ['', 'As in the task it was made of'],
          ],
        },
      ]}
    />
  )
}

/** A number where it is written like one: what is counted explains another price. */
const asInput = (text: string): string | number => (text !== '' && String(Number(text)) === text ? Number(text) : text)

/** The version that is played, and the one on trial with what is other in it. */
function Versions({ all, workspaceId }: { readonly all: readonly Version[]; readonly workspaceId: string }) {
  const [current, trial] = all
  const [chosen, setChosen] = useState((trial ?? current)?.version)
  const shown = all.find(({ version }) => version === chosen)
  if (current === undefined || shown === undefined) return null
  return (
    <section aria-labelledby="steps">
      <div class="setting">
        <h2 id="steps">Steps</h2>
        {trial === undefined ? null : (
          <Select
            label="Version"
            id="version"
            value={String(chosen)}
            options={all.map(({ version }) => [
              String(version),
              version === current.version ? `${version}` : `${version}, made by the model`,
            ])}
            change={(version) => setChosen(Number(version))}
          />
        )}
      </div>
      <p class="quiet">
        Made <Ago at={shown.made_at} now={Date.now()} /> of{' '}
        <a href={`/dashboard/tasks/${shown.task_id}?workspace=${workspaceId}`}>a task</a> with{' '}
        {count(shown.model_calls, 'model call')} for {usd(shown.cost_usd)}.{' '}
        {shown.unused_inputs.length === 0
          ? null
          : `No step depends on ${shown.unused_inputs.join(', ')}: with another value the model works. `}
        {shown.is_whole ? null : 'After the last step the model goes on.'}
      </p>
      <ol class="recipe-steps">
        {compared(current.steps, shown.steps).map(([change, step]) => (
          <StepLine key={`${change} ${step.step}`} {...step} change={change} />
        ))}
      </ol>
    </section>
  )
}

type Change = 'same' | 'new' | 'gone'

/** The steps of a version, and in their places those of the one before it that are gone. */
function compared(before: readonly Step[], now: readonly Step[]): (readonly [Change, Step])[] {
  const [old, kept] = [new Set(before.map(({ text }) => text)), new Set(now.map(({ text }) => text))]
  const steps: (readonly [Change, Step])[] = []
  let at = 0
  const goneUntil = (end: number) => {
    for (const step of before.slice(at, end)) if (!kept.has(step.text)) steps.push(['gone', step])
    at = Math.max(at, end)
  }
  for (const step of now) {
    const isNew = !old.has(step.text)
    const next = before.findIndex(({ text }, index) => index >= at && (isNew ? kept.has(text) : text === step.text))
    goneUntil(next < 0 ? (isNew ? before.length : at) : next)
    if (!isNew) at = Math.max(at, next + 1)
    steps.push([isNew ? 'new' : 'same', step])
  }
  goneUntil(before.length)
  return steps
}

function StepLine({ step, text, expects, irreversible, compared, deviations, change }: Step & { change: Change }) {
  if (change === 'gone')
    return (
      <li class="gone">
        <del>
          <StepWords text={text} />
        </del>
      </li>
    )
  return (
    <li value={step} class={change === 'new' ? 'new' : undefined}>
      <p class="facts">
        <StepWords text={text} />
        {change === 'new' ? (
          <Badge tone="good" icon="again">
            New
          </Badge>
        ) : null}
        {irreversible ? (
          <Badge tone="wait" icon="warning">
            Cannot be undone
          </Badge>
        ) : null}
      </p>
      {compared.length === 0 ? null : (
        <p class="quiet">
          Check before: as the first time, <StepWords text={compared.join(', ')} />
        </p>
      )}
      {expects === null ? null : (
        <p class="quiet">
          Check after: <StepWords text={expects} />
        </p>
      )}
      {deviations === 0 ? null : <p class="quiet">Handed over here {count(deviations, 'time')}.</p>}
    </li>
  )
}

/** A step; what is named on the page and what comes from an input stand out. */
const StepWords = ({ text }: { readonly text: string }) => (
  <span class="step-words">
    {[...text.matchAll(/"(?:[^"\\]|\\.)*"|[^"]+|"/g)].map(({ 0: part, index }) =>
      part.length > 1 && part.startsWith('"') ? <Named key={index} text={unquoted(part)} /> : inWords(part),
    )}
  </span>
)

/** Roles of accessibility that are no words of people. */
const ROLES = new Map([
  ['searchbox', 'search box'],
  ['spinbutton', 'number field'],
  ['textbox', 'text field'],
  ['combobox', 'list'],
  ['listbox', 'list'],
  ['menuitem', 'menu item'],
  ['gridcell', 'cell'],
])
const inWords = (text: string): string => text.replace(/\w+/g, (word) => ROLES.get(word) ?? word)

const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/g, '$1')

const Named = ({ text }: { readonly text: string }) => (
  <code>
    {[...text.matchAll(/\{\{.*?\}\}|(?:(?!\{\{).)+|./gs)].map(({ 0: words, index }) =>
      words.startsWith('{{') ? (
        <mark key={index} class="place">
          {words}
        </mark>
      ) : (
        words
      ),
    )}
  </code>
)
