import type { TaskView } from '../../../actors/task-service.ts'
import { STEPS_MAX } from '../../../machines/limits.ts'
import type { StepRecord, WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import { durationOf } from '../../wire/duration.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { action, framed } from './frame.ts'
import { usd } from './usage.ts'

const OUTPUT_CHARS_SHOWN = 2_000
type Deps = Pick<PagesDeps, 'taskService' | 'store' | 'prices' | 'clock'>

/** All of one task: what it is doing, its pictures, its answer, what it cost, and every step. */
export async function taskPage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  task: TaskView,
  { taskService, store, prices, clock }: Deps,
): Promise<Response> {
  const [steps, webhook] = await Promise.all([
    taskService.steps(workspace.id, task.id),
    task.webhookUrl === null ? null : store.traces.get(task.id, 'webhook'),
  ])
  const shots = (steps ?? []).filter(({ screenshot }) => screenshot !== null)
  const { model, cost } = await costOf(task, { store, prices })
  return framed(
    'Task',
    { viewer, workspace, tab: '/dashboard', live: task.status === 'running' },
    html`<p class="asked">${task.task}</p>
<div id="now" data-live>${now(task, clock.now())}</div>
${task.status === 'running' ? action(`/dashboard/tasks/${task.id}/cancel`, workspace, 'Cancel', 'this task', 'plain') : null}
<section id="shots" data-live aria-labelledby="shots-title"><h2 id="shots-title">Screenshots</h2>
${shots.length === 0 ? html`<p class="empty">No screenshots yet.</p>` : strip(task, shots)}</section>
<section id="facts" data-live aria-labelledby="facts-title"><h2 id="facts-title">Details</h2>
<dl class="figures">
${fact('Steps', html`${task.steps} of ${STEPS_MAX}`)}
${fact('Tokens in', html`${task.usage.inputTokens.toLocaleString('en')}`)}
${fact('Tokens out', html`${task.usage.outputTokens.toLocaleString('en')}`)}
${fact('Model calls', html`${task.usage.apiCalls}`)}
${cost === null ? null : fact(`Cost (${model})`, html`${usd(cost)}`)}
${fact('Started', time(task.createdAt))}
${task.completedAt === null ? fact('Deadline', time(task.deadlineAt)) : fact('Duration', html`${durationOf(task.completedAt - task.createdAt)}`)}
${task.webhookUrl === null ? null : fact('Webhook', html`${webhookLine(task, webhook)}`)}
</dl>
<p><a href="/inspector?task=${task.id}">${task.status === 'running' ? 'Watch the statechart' : 'Replay the statechart'}</a></p></section>
<section id="steps" data-live aria-labelledby="steps-title"><h2 id="steps-title">Steps</h2>
${(steps ?? []).length === 0 ? html`<p class="empty">No steps yet. The model is working on the first one.</p>` : stepList(steps ?? [])}</section>`,
  )
}

function now(task: TaskView, at: number): Html {
  if (task.status === 'running') {
    return html`<p><span class="badge running">${task.state}</span> <progress max="${STEPS_MAX}" value="${task.steps}" aria-label="Steps of ${STEPS_MAX}">${task.steps}</progress> <span class="quiet">running for ${durationOf(at - task.createdAt)}</span></p>`
  }
  const why =
    task.endedBy === 'completed' || task.endedBy === null
      ? null
      : html` <span class="quiet">${task.endedBy.replaceAll('_', ' ')}${task.failure === null ? null : html`, ${task.failure.replaceAll('_', ' ')}`}</span>`
  return html`<p><span class="badge ${task.status}">${task.status}</span>${why}</p>
<h2>Answer</h2><p class="answer">${task.answer ?? ''}</p>`
}

function strip(task: TaskView, shots: readonly StepRecord[]): Html {
  const figures = shots.map(
    ({ step, screenshot, toolName }) => html`<li><figure>
<a href="/dashboard/tasks/${task.id}/screenshots/${screenshot}"><img src="/dashboard/tasks/${task.id}/screenshots/${screenshot}" alt="The page at step ${step}, after ${toolName ?? 'a tool'}" loading="lazy" width="240" height="160"></a>
<figcaption>Step ${step}</figcaption></figure></li>`,
  )
  return html`<ol class="strip" tabindex="0" aria-label="Screenshots in order">${figures}</ol>`
}

/** What one step said and did. */
function stepList(steps: readonly StepRecord[]): Html {
  const numbers = [...new Set(steps.map(({ step }) => step))]
  const items = numbers.map((number) => {
    const those = steps.filter(({ step }) => step === number)
    const said = those.find(({ status, output }) => (status === 'thinking' || status === 'complete') && output !== null)
    const tools = those.filter(({ status }) => status === 'tool_use')
    const results = those.filter(({ status }) => status === 'tool_output' || status === 'tool_result')
    return html`<li value="${number}"><div>
${said ? html`<p class="words">${shortened(said.output ?? '')}</p>` : null}
${tools.map((tool) => html`<p><code>${tool.toolName ?? ''}</code> <span class="quiet words">${shortened(JSON.stringify(tool.toolInput ?? {}))}</span></p>`)}
${results.map(resultOf)}
</div></li>
`
  })
  return html`<ol class="steps">
${items}</ol>`
}

function resultOf({ status, output, durationMs, toolName }: StepRecord): Html {
  if (output === null) return html``
  if (status === 'tool_result') return html`<p class="bad">${output}</p>`
  return html`<details><summary>Output of ${toolName ?? 'the tool'}${durationMs === null ? null : html` <span class="quiet">${durationOf(durationMs)}</span>`}</summary><pre tabindex="0" aria-label="Output of ${toolName ?? 'the tool'}">${shortened(output)}</pre></details>`
}

/** Of a finished task: by the model that its usage was recorded for; of one that runs nothing is known for sure. */
async function costOf(task: TaskView, { store, prices }: Pick<Deps, 'store' | 'prices'>) {
  const last = (await store.journal(task.id)).findLast((entry) => entry.kind === 'reply')
  if (last?.kind !== 'reply') return { model: '', cost: null }
  return { model: last.model, cost: prices.costUsd(last.model, task.usage) }
}

function webhookLine(task: TaskView, kept: string | null): string {
  if (task.status === 'running') return 'sent when the task ends'
  if (kept === null) return 'pending or unknown'
  const { status, reason } = JSON.parse(kept) as { status: number | null; reason: string | null }
  if (status === null) return `not delivered: ${reason}`
  return status >= 200 && status < 300 ? `delivered (${status})` : `rejected (${status})`
}

const fact = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
const shortened = (text: string): string =>
  text.length <= OUTPUT_CHARS_SHOWN ? text : `${text.slice(0, OUTPUT_CHARS_SHOWN)}…`
