import type { TaskJson } from '../support/service/api.ts'
import { answerOf, callOf } from '../support/service/model.ts'
import { readEvents } from './events.ts'
import { type Attempt, answered, deliver, FREE_TASKS, listed, type Tenant } from './tenant.ts'
import { checkHook } from './webhooks.ts'

const SETTLE_MS_MAX = 60_000
const LOOK_MS = 20
const RUNNING_MAX = 5
const STARTS_MAX = 10
const MINUTE_MS = 60_000

/** Reads one task: keeps its body when it has ended, and holds it against the body that was kept before. */
export async function read(tenant: Tenant, attempt: Attempt): Promise<string[]> {
  const { status, raw, json } = await answered(() => tenant.api.get(`/v1/tasks/${attempt.id}`))
  if (status !== 200) return [`lost: task ${attempt.id} of ${tenant.name} is answered ${status} ${raw}`]
  const body = String(raw)
  if (attempt.final !== null)
    return attempt.final === body ? readEvents(tenant, attempt) : [`changed: ${attempt.final} is now ${body}`]
  if (json.status !== 'running') attempt.final = body
  return readEvents(tenant, attempt)
}

/**
 * Waits until everything of a tenant has ended, on a service that is left alone, and checks what was promised through
 * the public API alone. Resolves to what is wrong.
 */
export async function settle(tenant: Tenant): Promise<string[]> {
  const wrong: string[] = []
  await tenant.browser.registered()
  for (const payment of tenant.payments) while (!payment.acknowledged) await deliver(tenant, payment)
  find(tenant, await listed(tenant), wrong)
  const until = performance.now() + SETTLE_MS_MAX
  for (const attempt of tenant.attempts) {
    while (attempt.final === null && performance.now() < until) {
      const lost = await read(tenant, attempt)
      wrong.push(...lost)
      if (lost.length > 0) break
      if (attempt.final === null) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    if (attempt.final === null) wrong.push(`stuck: task ${attempt.id} of ${tenant.name}`)
    else wrong.push(...endingOf(tenant, attempt, JSON.parse(attempt.final)))
  }
  const tasks = await listed(tenant)
  wrong.push(
    ...executions(tenant),
    ...limits(tenant, tasks),
    ...(await books(tenant, tasks)),
    ...(await checkHook(tenant.hook, tasks)),
  )
  return wrong
}

/** Starts that were not answered are found in the list, or were never heard. */
function find(tenant: Tenant, tasks: readonly TaskJson[], wrong: string[]): void {
  const byText = new Map(tasks.map((task) => [/"name":"([^"]+)"/.exec(task.task)?.[1], task.id]))
  if (byText.size !== tasks.length) wrong.push(`doubled: ${tenant.name} has ${tasks.length} tasks of ${byText.size}`)
  for (const attempt of [...tenant.attempts]) {
    const id = byText.get(attempt.job.name)
    if (attempt.acknowledged && id !== attempt.id)
      wrong.push(`lost: task ${attempt.id} of ${tenant.name} is not listed`)
    if (attempt.acknowledged) continue
    if (id === undefined) tenant.attempts.splice(tenant.attempts.indexOf(attempt), 1)
    else attempt.id = id
  }
}

/** An ending that its story does not explain. */
function endingOf({ name }: Tenant, { job, acknowledged, cancelled, interrupted }: Attempt, task: TaskJson): string[] {
  const explained =
    (task.status === 'complete' && job.end === 'answer' && task.answer === answerOf(job)) ||
    (task.ended_by === 'model_failure' &&
      job.end === 'refuse' &&
      task.answer === 'LLM call failed: The key is wrong.') ||
    (task.ended_by === 'cancelled' && cancelled) ||
    (task.ended_by === 'shutdown' && interrupted) ||
    // MongoDB: the record was kept, and the process killed before its actor was. Nobody was told that it runs.
    (task.ended_by === 'restart' && !acknowledged && task.steps === 0) ||
    // Its database went away between the record and the answer: a start that failed is ended without a bill.
    (task.ended_by === 'crash' && !acknowledged && task.steps === 0)
  return explained ? [] : [`ending: ${name} ${JSON.stringify(task)}`]
}

/** No request id twice; of a completed task each step, and once. */
function executions({ name, browser, attempts, protocol, forgot }: Tenant): string[] {
  const wrong = [...browser.executed].flatMap(([id, times]) =>
    times > 1 ? [`twice: ${name} ran ${id} ${times} times`] : [],
  )
  const steps = new Map<string, number>()
  for (const { input } of browser.calls) steps.set(String(input.text), (steps.get(String(input.text)) ?? 0) + 1)
  for (const { job, final } of attempts) {
    const complete = final !== null && JSON.parse(final).status === 'complete'
    for (let step = 1; step <= job.steps; step++) {
      const times = steps.get(callOf(job, step)) ?? 0
      if (times > 1) wrong.push(`twice: ${name} ran step ${step} of ${job.name} ${times} times`)
      // Who forgets what it ran, or never says, may have a call whose outcome is unknown.
      if (times === 0 && complete && protocol === 2 && !forgot)
        wrong.push(`skipped: step ${step} of ${job.name}: ${final}`)
    }
  }
  return wrong
}

/** Never more than 10 starts in 60 s, nor 5 tasks at a time. */
function limits({ name }: Tenant, tasks: readonly TaskJson[]): string[] {
  const starts = tasks.map(({ created_at }) => created_at).sort((left, right) => left - right)
  const rate = starts.some((at, index) => at - (starts[index - STARTS_MAX] ?? Number.NEGATIVE_INFINITY) < MINUTE_MS)
  const crowded = starts.some(
    (at) => tasks.filter((task) => task.created_at <= at && at < (task.completed_at ?? 0)).length > RUNNING_MAX,
  )
  return [...(rate ? [`rate: ${name} ${starts}`] : []), ...(crowded ? [`crowded: ${name}`] : [])]
}

/** Credits and usage, to the last one. */
async function books({ name, api, payments }: Tenant, tasks: readonly TaskJson[]): Promise<string[]> {
  const credits = (await answered(() => api.get('/v1/billing/credits'))).json
  const completed = tasks.filter(({ status }) => status === 'complete').length
  const paid = payments.reduce((sum, payment) => sum + payment.credits, 0)
  const free = Math.max(0, FREE_TASKS - completed)
  const balance = paid - Math.max(0, completed - FREE_TASKS)
  const wrong: string[] = []
  if (credits.free_remaining !== free || credits.credit_balance !== balance) {
    wrong.push(`credits: ${name} ${JSON.stringify(credits)}, but ${completed} completed and ${paid} were paid`)
  }
  const usage = (await answered(() => api.get('/v1/usage'))).json
  if (usage.taskCount !== tasks.length) wrong.push(`usage: ${name} counts ${usage.taskCount} of ${tasks.length} tasks`)
  return wrong
}
