import type { UsageTotal } from '../../../actors/runtime/ports.ts'
import { DAY_MS } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../net/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { framed } from './frame.ts'
import { type Bar, plot } from './plot.ts'

const DAYS_SHOWN = 30

/** Tasks, tokens and cost of the last days, and what may still be started. */
export async function usage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  {
    store,
    taskService,
    prices,
    clock,
    billing,
  }: Pick<PagesDeps, 'store' | 'taskService' | 'prices' | 'clock' | 'billing'>,
): Promise<Response> {
  const today = clock.now() - (clock.now() % DAY_MS)
  const since = today - (DAYS_SHOWN - 1) * DAY_MS
  const [totals, allowance] = await Promise.all([
    store.usage.totals(workspace.id, since),
    taskService.allowance(workspace.id),
  ])
  const costOf = (total: UsageTotal) => prices.costUsd(total.model, total)
  const days = Array.from({ length: DAYS_SHOWN }, (_, index): Bar => {
    const at = since + index * DAY_MS
    const those = totals.filter(({ day }) => day === at)
    return { at, value: sum(those, ({ tasks }) => tasks), note: costText(those, costOf) }
  })
  return framed(
    'Usage',
    { viewer, workspace, tab: '/dashboard/usage' },
    html`<dl class="figures">
${figure('Tasks', whole(sum(totals, ({ tasks }) => tasks)))}
${figure('Cost', costText(totals, costOf))}
${figure('Tokens in', whole(sum(totals, ({ inputTokens }) => inputTokens)))}
${figure('Tokens out', whole(sum(totals, ({ outputTokens }) => outputTokens)))}
${figure('Model calls', whole(sum(totals, ({ apiCalls }) => apiCalls)))}
</dl>
<p class="quiet">The last ${DAYS_SHOWN} days (UTC)</p>
${totals.length === 0 ? html`<p class="empty">No usage yet. It appears here when the first task ends.</p>` : plot('Tasks by day', days)}
${byModel(totals, costOf)}
<h2>Credits</h2>
${
  allowance.freeRemaining === null
    ? html`<p>Tasks are free: billing is not configured on this service.</p>`
    : html`<dl class="figures">${figure(`Free tasks left this month (of ${billing?.freePerMonth ?? 0})`, whole(allowance.freeRemaining))}${figure('Credits', whole(allowance.creditBalance))}</dl>
${allowance.freeRemaining + allowance.creditBalance > 0 ? null : html`<p class="empty">No tasks left. Buy credits, or wait until next month.</p>`}`
}`,
  )
}

type CostOf = (total: UsageTotal) => number | null

/** The cost of what has a price; `unknown` when nothing of it has one. */
function costText(totals: readonly UsageTotal[], costOf: CostOf): string {
  const costs = totals.map(costOf).filter((cost) => cost !== null)
  return totals.length > 0 && costs.length === 0 ? 'unknown' : usd(sum(costs, (cost) => cost))
}

function byModel(totals: readonly UsageTotal[], costOf: CostOf): Html | null {
  const models = [...new Set(totals.map(({ model }) => model))]
  if (models.length === 0) return null
  const rows = models.map((name) => {
    const those = totals.filter(({ model }) => model === name)
    return html`<tr><th scope="row">${name}</th><td class="number">${whole(sum(those, ({ apiCalls }) => apiCalls))}</td><td class="number">${whole(sum(those, ({ inputTokens }) => inputTokens))}</td><td class="number">${whole(sum(those, ({ outputTokens }) => outputTokens))}</td><td class="number">${costText(those, costOf)}</td></tr>
`
  })
  return html`<h2>By model</h2>
<div class="table panel" role="region" aria-label="By model" tabindex="0"><table>
<thead><tr><th scope="col">Model</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Tokens in</th><th scope="col" class="number">Tokens out</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0)
const whole = (count: number) => count.toLocaleString('en')
export const usd = (amount: number) => (amount > 0 && amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`)
