import type { TaskView } from '../../../actors/task-service.ts'
import { STEPS_MAX } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import { LOG_TYPES, type LogEvent } from '../../../machines/task-log.ts'
import type { Response } from '../../http/transport.ts'
import { durationOf } from '../../wire/duration.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { action, framed } from './frame.ts'
import { inputForm } from './input-form.ts'
import { usd } from './usage.ts'

const OUTPUT_CHARS_SHOWN = 2_000
const EVENTS_READ_MAX = 1_000
type Deps = Pick<PagesDeps, 'taskService' | 'store' | 'prices' | 'clock' | 'readTokens'>
type ToolResult = Extract<LogEvent, { type: 'tool.result' }>

/** All of one task: what it is doing, its pictures, its answer, what it cost, and every step. */
export async function taskPage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  task: TaskView,
  { taskService, store, prices, clock, readTokens }: Deps,
): Promise<Response> {
  const [events, webhook, stream] = await Promise.all([
    eventsOf(taskService, task.id),
    task.webhookUrl === null ? null : store.traces.get(task.id, 'webhook'),
    task.status === 'running' ? readTokens.create(task.id, workspace.id) : null,
  ])
  // Screenshots are numbered in the order in which they were taken.
  const shots = events.filter((event) => event.type === 'tool.result').filter((event) => event.has_screenshot)
  const { model, cost } = costOf(task, events, prices)
  return framed(
    'Task',
    {
      viewer,
      workspace,
      tab: '/dashboard',
      live: stream && {
        events: `/v1/tasks/${task.id}/events?after=${events.at(-1)?.seq ?? 0}&token=${stream.token}`,
        types: LOG_TYPES,
      },
    },
    html`<p class="asked">${task.task}</p>
<div id="now" data-live>${now(task, clock.now())}</div>
<div id="input" data-live>${inputForm(task, workspace)}</div>
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
${stepList(events)}</section>`,
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

function strip(task: TaskView, shots: readonly ToolResult[]): Html {
  const figures = shots.map(
    ({ step, tool }, number) => html`<li><figure>
<a href="/dashboard/tasks/${task.id}/screenshots/${number}"><img src="/dashboard/tasks/${task.id}/screenshots/${number}" alt="The page at step ${step}, after ${tool}" loading="lazy" width="240" height="160"></a>
<figcaption>Step ${step}</figcaption></figure></li>`,
  )
  return html`<ol class="strip" tabindex="0" aria-label="Screenshots in order">${figures}</ol>`
}

/** What each step said and did. */
function stepList(events: readonly LogEvent[]): Html {
  const all = events.filter(isShown)
  if (all.length === 0) return html`<p class="empty">No steps yet. The model is working on the first one.</p>`
  const numbers = [...new Set(all.map(({ step }) => step))]
  const items = numbers.map(
    (number) => html`<li value="${number}"><div>
${all.filter(({ step }) => step === number).map(shown)}
</div></li>
`,
  )
  return html`<ol class="steps">
${items}</ol>`
}

type Shown = Extract<LogEvent, { type: 'model.replied' | 'tool.called' | 'tool.result' }>
const isShown = (event: LogEvent): event is Shown =>
  event.type === 'model.replied' || event.type === 'tool.called' || event.type === 'tool.result'

function shown(event: Shown): Html {
  if (event.type === 'model.replied')
    return event.text === '' ? html`` : html`<p class="words">${shortened(event.text)}</p>`
  if (event.type === 'tool.called')
    return html`<p><code>${event.tool}</code> <span class="quiet words">${shortened(JSON.stringify(event.input))}</span></p>`
  const { tool, output, error, duration_ms: durationMs } = event
  if (error !== undefined) return html`<p class="bad">${error}</p>`
  if (output === '') return html``
  return html`<details><summary>Output of ${tool} <span class="quiet">${durationOf(durationMs)}</span></summary><pre tabindex="0" aria-label="Output of ${tool}">${output}</pre></details>`
}

/** Of a finished task: by the model that its usage was recorded for; of one that runs nothing is known for sure. */
function costOf(task: TaskView, events: readonly LogEvent[], prices: Deps['prices']) {
  const last = events.findLast(({ type }) => type === 'model.replied')
  if (last?.type !== 'model.replied') return { model: '', cost: null }
  return { model: last.model, cost: prices.costUsd(last.model, task.usage) }
}

/** All events of the task that are kept. */
async function eventsOf({ events }: Deps['taskService'], taskId: string): Promise<LogEvent[]> {
  const all: LogEvent[] = []
  for (;;) {
    const page = await events.ofTask(taskId, all.at(-1)?.seq ?? 0, EVENTS_READ_MAX)
    for (const { event } of page) all.push(event)
    if (page.length < EVENTS_READ_MAX) return all
  }
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
