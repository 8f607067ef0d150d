import type { Api, Task } from '../api.ts'
import { count, localTime, spaced, span, usd } from '../format.ts'
import { Address, CopyButton, Fact, Pre } from '../ui.tsx'
import type { Story } from './story.ts'
import { WebhookDeliveries } from './webhooks.tsx'

/** What a task was given, as far as the API does not tell it. */
export interface Given {
  /** Who started it; `null`: not known. */
  readonly startedBy: string | null
  readonly billedTo: string
  readonly webhook: { readonly url: string; readonly said: string } | null
  readonly context: string | null
  readonly approvals: 'never' | 'irreversible' | 'always'
  readonly askUser: boolean
  readonly allowedDomains: readonly string[] | null
  /** Their names. */
  readonly secrets: readonly string[]
  readonly maxTokens: number | null
  readonly maxCostUsd: number | null
}

/** The title of a page is not cut before so much, not even on a phone that is 320 px wide. */
const TITLE_CHARS_SEEN = 200

const APPROVALS = { never: 'nothing', irreversible: 'what cannot be undone', always: 'every action' } as const

interface DetailsProps {
  readonly api: Api
  readonly workspaceId: string
  readonly task: Task
  readonly story: Story
  readonly browser: string | null
  readonly given: Given
}

/** [J12] How a recipe was used: it was made, played to its end, or left where the page was another one. */
function recipeWords({ version, played, asked, deviation }: NonNullable<Task['recipe']>): string {
  if (deviation)
    return `version ${version}: ${count(played, 'step')} played, then the model; step ${deviation.step} expected ${deviation.expected}`
  return played > 0
    ? `version ${version}: ${count(played, 'step')} played, ${count(asked, 'model call')}`
    : `version ${version} made of this task`
}

/** Everything else that is known of a task, and how programs do the same. */
export const Details = ({ api, workspaceId, task, story, browser, given }: DetailsProps) => (
  <section class="details" aria-labelledby="details-title">
    <div class="head">
      <h2 id="details-title">Details</h2>
      <a href={`/inspector?task=${task.id}`}>
        {task.status === 'running' ? 'Watch the statechart' : 'Replay the statechart'}
      </a>
    </div>
    <dl>
      <Fact name="Id">
        <code>{task.id}</code> <CopyButton text={task.id}>Copy</CopyButton>
      </Fact>
      <Fact name="Browser">{browser ?? task.browser_session_id}</Fact>
      {given.startedBy === null ? null : <Fact name="Started by">{given.startedBy}</Fact>}
      <Fact name="Started">{localTime(task.created_at)}</Fact>
      {task.completed_at === null ? (
        <Fact name="Deadline">{localTime(task.deadline_at)}</Fact>
      ) : (
        <Fact name="Ended">
          {localTime(task.completed_at)}, after {span(task.completed_at - task.created_at)}
        </Fact>
      )}
      <Fact name="Model">{story.model ?? 'none asked yet'}</Fact>
      <Fact name="Tokens">
        {task.usage.inputTokens.toLocaleString('en')} in, {task.usage.outputTokens.toLocaleString('en')} out,{' '}
        {task.usage.apiCalls} calls
      </Fact>
      <Fact name="Cost">{task.cost_usd === null ? 'unknown: the model has no list price' : usd(task.cost_usd)}</Fact>
      {task.recipe ? <Fact name="Recipe">{recipeWords(task.recipe)}</Fact> : null}
      <Fact name="Billed to">{given.billedTo}</Fact>
      {task.url === null ? null : (
        <Fact name="Start page">
          <Address text={task.url} />
        </Fact>
      )}
      {task.ended_by === null || task.ended_by === 'completed' ? null : (
        <Fact name="Ended by">
          {spaced(task.ended_by)}
          {task.failure === null ? null : `, ${spaced(task.failure)}`}
        </Fact>
      )}
      {Object.entries(task.metadata).map(([key, value]) => (
        <Fact key={key} name={`Metadata ${key}`}>
          {value}
        </Fact>
      ))}
      <Fact name="Asks before">
        {APPROVALS[given.approvals]}
        {given.askUser ? ', may ask questions' : ''}
      </Fact>
      {given.allowedDomains === null ? null : <Fact name="Only on">{given.allowedDomains.join(', ')}</Fact>}
      {given.secrets.length === 0 ? null : <Fact name="Secrets">{given.secrets.join(', ')}</Fact>}
      {given.maxTokens === null ? null : <Fact name="Token limit">{given.maxTokens.toLocaleString('en')}</Fact>}
      {given.maxCostUsd === null ? null : <Fact name="Cost limit">{usd(given.maxCostUsd)}</Fact>}
      {task.continue_task_id === undefined ? null : (
        <Fact name="Continues">
          <a href={`/dashboard/tasks/${task.continue_task_id}?workspace=${workspaceId}`}>an earlier task</a>
        </Fact>
      )}
      {given.webhook === null ? null : (
        <Fact name="Webhook">
          {given.webhook.url}: {given.webhook.said}
        </Fact>
      )}
    </dl>
    <WholeText text={task.task} />
    {given.context === null ? null : (
      <details>
        <summary>Context</summary>
        <Pre label="Context">{given.context}</Pre>
      </details>
    )}
    <WebhookDeliveries api={api} taskId={task.id} workspaceId={workspaceId} />
    <details>
      <summary>Run it through the API</summary>
      <Snippet name="curl" text={curlOf(task)} />
      <Snippet name="Node.js" text={sdkOf(task)} />
    </details>
  </section>
)

/** The text of a task of which the page may show the beginning alone. */
export const WholeText = ({ text }: { readonly text: string }) =>
  text.length <= TITLE_CHARS_SEEN ? null : (
    <details>
      <summary>The whole task</summary>
      <Pre label="The whole task">{text}</Pre>
    </details>
  )

const Snippet = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <div class="snippet">
    <p>
      <strong>{name}</strong> <CopyButton text={text}>Copy</CopyButton>
    </p>
    <Pre label={name}>{text}</Pre>
  </div>
)

const bodyOf = ({ task, url, browser_session_id, request: { browser } }: Task) => ({
  task,
  ...(url === null ? {} : { url }),
  ...(browser?.pool ? {} : { browser_session_id }),
  ...(browser ? { browser } : {}),
})

const curlOf = (task: Task): string => `curl -s ${location.origin}/v1/tasks \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(bodyOf(task)).replaceAll("'", `'\\''`)}'`

const sdkOf = (task: Task): string => `// npm install ${location.origin}/clients/browser-task-client.tgz
import { BrowserTasks } from 'browser-task-client'

const service = new BrowserTasks({ baseUrl: ${JSON.stringify(location.origin)}, key: process.env.KEY })
const { answer } = await service.tasks.run(${JSON.stringify(bodyOf(task), null, 2)})
console.log(answer)`
