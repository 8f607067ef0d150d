import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { TaskView } from '../../actors/task-service.ts'
import { ended } from '../support/events.ts'
import { anOrder } from '../support/held.ts'
import { aTask, aUsage, THEN } from '../support/stores.ts'
import { aDelivery, anEndpoint } from '../support/webhook-memory.ts'
import { call, type openScene, result, said } from './live-scene.ts'
import { ANN } from './world.ts'

type Scene = Awaited<ReturnType<typeof openScene>>
type Fields = Partial<TaskView>

const MINUTE = 60_000
const BUSY = 200
const TASKS = [
  'Find the cheapest direct flight from Lisbon to Vienna on Friday and tell me its times',
  'Order two pieces of the Kyoto teapot, wrapped as a gift',
  'Download the last invoice of the power supplier',
  'Is the meeting room on the third floor free tomorrow at ten?',
  'Compare the three largest hosting plans and make a table of what they cost for a year with all that is needed beside',
]
const ANSWER =
  '**Two** direct flights fit:\n\n| Flight | Leaves | Price |\n| - | - | - |\n| TP 1273 | 07:05 | €118 |\n| OS 392 | 14:40 | €131 |\n\nThe cheaper one is TP 1273. Its [page](https://air.example/) has the rest.'
const OUTPUT = { flights: [{ number: 'TP 1273', leaves: '07:05', price: 118 }], currency: 'EUR', note: null }
const ENDINGS: readonly Fields[] = [
  {
    status: 'complete',
    answer: 'Done: its number is KL-001-3891, and the total to pay is $113.00.',
    endedBy: 'completed',
  },
  { status: 'complete', answer: 'Yes, it is free until noon.', endedBy: 'completed' },
  { status: 'error', answer: 'The page asks for a code that was sent by post.', endedBy: 'gave_up' },
  { status: 'error', answer: 'Task was cancelled.', endedBy: 'cancelled', failure: 'aborted' },
  {
    status: 'error',
    answer: 'The language model did not answer.',
    endedBy: 'model_failure',
    failure: 'model' as never,
  },
]
export const SCREEN = { width: 1280, height: 900 }

const workspaceId = ANN.workspaces[0]?.id ?? ''

/** Every state in which the pages of tasks and webhooks are seen, one after the other, drawn and ready to be looked at. */
export async function* states(scene: Scene, now = Date.now()): AsyncGenerator<{ name: string; page: Page }> {
  const { taskService, store, base, open } = scene
  taskService.tasksById.clear()
  const { page } = await open('/dashboard')
  await page.setViewportSize(SCREEN)
  const at = async (name: string, path: string, ready: string) => {
    await page.goto(`${base}${path}`)
    await page.waitForSelector(ready)
    return { name, page }
  }
  yield await at('tasks-empty', '/dashboard', 'text=Try it in the shop')
  await page.click('button.menu')
  await page.waitForSelector('#account')
  yield { name: 'account-menu', page }
  yield await at('browsers-empty', '/dashboard/browsers', 'text=No browsers paired yet')
  yield await at('usage-empty', '/dashboard/usage', 'text=No usage in these days')
  for (let n = 0; n < 40; n++) await store.usage.record(usageOf(n, now))
  yield await at('usage', '/dashboard/usage', 'text=By outcome')
  yield await at('members', '/dashboard/members', 'text=Open invitations')
  yield await at('limits', '/dashboard/limits', 'text=Operator allows')
  yield await at('audit', '/dashboard/audit', 'text=What is in it')
  const laptop = randomUUID()
  taskService.sessionsById.set(laptop, {
    ...{ id: laptop, workspaceId, label: 'Office laptop', status: 'connected', state: 'idle' },
    ...{ createdAt: THEN, expiresAt: now + 1_000 * MINUTE, lastHeartbeat: now, keyId: null },
  } as never)
  const away = randomUUID()
  taskService.sessionsById.set(away, {
    ...{ id: away, workspaceId, label: null, status: 'disconnected', state: 'away' },
    ...{ createdAt: THEN - 1, expiresAt: now + 1_000 * MINUTE, lastHeartbeat: null, keyId: null, allowTasks: false },
  } as never)
  yield await at('browsers', '/dashboard/browsers', 'text=Office laptop')
  yield await at('profiles-empty', '/dashboard/profiles', 'text=No profiles yet')
  await page.fill('#name', 'acme')
  await page.click('text=Create profile')
  await page.waitForSelector('text=Open the page')
  yield { name: 'profiles', page }
  yield await at('tasks-first', '/dashboard', 'text=Write it below')
  await page.click('summary >> text=Approvals, sites, files, secrets')
  await page.click('button >> text=Add a secret')
  yield { name: 'tasks-options', page }
  const keep = (fields: Fields): string => {
    const record = aTask({
      workspaceId,
      browserSessionId: laptop,
      url: 'https://air.example/',
      createdAt: now - MINUTE,
    })
    taskService.tasksById.set(record.id, { ...record, state: 'thinking', ...fields })
    taskService.keep(taskService.log.begin({ ...record, ...fields }))
    return record.id
  }
  for (let n = 0; n < BUSY; n++) {
    const createdAt = now - n * 17 * MINUTE
    const fields = ENDINGS[n % ENDINGS.length] ?? {}
    const usage = { inputTokens: 20_000 * ((n % 7) + 1), outputTokens: 900, apiCalls: 9 }
    const record = aTask({
      workspaceId,
      browserSessionId: laptop,
      task: TASKS[n % TASKS.length] ?? '',
      createdAt,
      usage,
    })
    const metadata = n % 3 === 0 ? { customer: 'ada', order: `a${n}` } : {}
    const more = { state: 'closed', completedAt: createdAt + (n + 1) * 1_900, steps: 3 + (n % 19), metadata }
    taskService.tasksById.set(record.id, { ...record, ...more, ...fields })
  }
  const running = keep({ task: TASKS[0] ?? '', steps: 3, createdAt: now - 20_000 })
  steps(scene, running)
  const expiresAt = now + 8 * MINUTE
  const asks = { id: 'r-1', kind: 'question', schema: null, call: null, expiresAt } as const
  const { id: _, terms, numbers, ...held } = anOrder('113.00', { path: '/checkout/orders' })
  const changed = {
    fields: [{ name: 'total', before: '105.00', after: '113.00' }],
    numbers: { before: ['105.00'], after: ['113.00'] },
  }
  const input = { action: 'left_click', ref: 'e9' }
  const waiting = { state: 'waitingForInput', createdAt: now - 3 * MINUTE }
  const question = keep({
    ...{ ...waiting, task: TASKS[3] ?? '' },
    inputRequest: { ...asks, message: 'The room on the third floor is taken. Would the one on the second do?' },
  })
  const approval = keep({
    ...{ ...waiting, task: TASKS[1] ?? '' },
    inputRequest: {
      ...{
        ...asks,
        kind: 'approval',
        message: 'Send POST to shop.example/checkout/orders, by button "Buy now": quantity 2, total 113.00',
      },
      call: { tool: 'computer', input, held, changed },
    },
  } as Fields)
  const takenOver = keep({ task: TASKS[2] ?? '', state: 'paused', pausedBy: ['browser'], createdAt: now - 5 * MINUTE })
  for (const id of [question, approval, takenOver]) steps(scene, id)
  yield await at('tasks-busy', '/dashboard', 'a.task >> nth=49')
  yield await at('tasks-found-nothing', '/dashboard?q=nothing+like+it', 'text=No task matches this search')
  yield await at('task-running', `/dashboard/tasks/${running}`, '.doing >> text=Fills in')
  yield await at('task-waiting-question', `/dashboard/tasks/${question}`, 'section.input')
  yield await at(
    'task-waiting-approval',
    `/dashboard/tasks/${approval}`,
    'section.input >> text=for the rest of this task',
  )
  yield await at('task-taken-over', `/dashboard/tasks/${takenOver}`, '.held >> text=Office laptop')
  const end = (id: string, fields: Fields): void => {
    taskService.end(id, ended)
    const view = taskService.tasksById.get(id)
    if (view) taskService.tasksById.set(id, { ...view, ...fields })
  }
  end(running, { answer: ANSWER, output: JSON.stringify(OUTPUT) })
  yield await at('task-finished', `/dashboard/tasks/${running}`, 'table.output')
  await page.click('summary >> text=Share this result')
  await page.click('text=Create link')
  await page.waitForSelector('text=A link is open until')
  yield { name: 'task-share', page }
  const link = new URL((await page.textContent('.made pre')) ?? '')
  yield await at('shared-result', link.pathname, 'table.output')
  yield await at('shared-ended', `${link.pathname}0`, 'text=This link has expired')
  end(takenOver, { status: 'error', answer: 'The page asks for a code that was sent by post.', endedBy: 'gave_up' })
  yield await at('task-failed', `/dashboard/tasks/${takenOver}`, '.badge.bad')
  yield await at('webhooks-empty', '/dashboard/webhooks', 'text=No webhook endpoints yet')
  const url = 'https://hooks.example/browser-tasks/a-rather-long-path'
  const endpoint = anEndpoint({ workspaceId, url, description: 'The order desk' })
  await store.endpoints.insert(endpoint)
  await store.endpoints.insert(anEndpoint({ workspaceId, failingSince: now - 90 * MINUTE }))
  const attempts = [
    { at: now - MINUTE, durationMs: 21, status: null, reason: 'ECONNREFUSED', answer: '' },
    { at: now - 50_000, durationMs: 7, status: 503, reason: null, answer: 'Come again later.' },
  ]
  const own = { endpointId: endpoint.id, workspaceId, createdAt: now - 2 * MINUTE, taskId: running }
  await store.deliveries.add(aDelivery({ ...own, attempts, nextAttemptAt: now + MINUTE }))
  await store.deliveries.add(aDelivery({ ...own, status: 'delivered', attempts: attempts.slice(1) }))
  await store.deliveries.add(aDelivery({ ...own, status: 'failed', attempts }))
  yield await at('webhooks', '/dashboard/webhooks', 'text=Failing')
  yield await at('webhook-deliveries', `/dashboard/webhooks/${endpoint.id}`, '.badge >> text=Delivered')
  await store.endpoints.remove(workspaceId, endpoint.id)
  await page.close()
}

/** What a task used: three models, two of which have a price, over some weeks. */
const usageOf = (n: number, now: number) =>
  aUsage({
    workspaceId,
    apiKeyId: n % 4 === 0 ? workspaceId : 'a'.repeat(36),
    at: now - n * 13 * 60 * MINUTE,
    model: ['claude-sonnet-4-5', 'gpt-5', 'a-model-of-our-own'][n % 3] ?? '',
    outcome: n % 5 === 0 ? 'error' : 'complete',
    inputTokens: 20_000 * ((n % 7) + 1),
    cachedTokens: 9_000,
    outputTokens: 900,
    apiCalls: 9,
  })

/** A few steps, of which the last call is under way. */
function steps({ taskService: { log } }: Scene, id: string): void {
  const from = Date.now() - 12_000
  let events = 0
  const put = (event: Parameters<typeof log.append>[1]) => log.append(id, { ...event, at: from + 700 * events++ })
  const step = (number: number) => put({ type: 'step.started', at: from, step: number })
  step(1)
  put(said(1, 'I open the airline’s page and look for the search.'))
  put(call(1, 'a', 'navigate', { url: 'https://air.example/' }))
  put(result(1, 'a', 'navigate', 'Page "Air" (https://air.example/)'))
  put(call(1, 'b', 'find', { query: 'search form' }))
  put(result(1, 'b', 'find', 'textbox "From" [e4]\ntextbox "To" [e5]'))
  step(2)
  put(said(2, 'The banner is in the way.'))
  put(call(2, 'c', 'computer', { action: 'left_click', ref: 'e7' }))
  put({ ...result(2, 'c', 'computer', ''), error: 'The element e7 is covered by another one.' })
  put(call(2, 'd', 'computer', { action: 'wait', duration: 1 }))
  put({ ...result(2, 'd', 'computer', ''), error: 'Not run: the call before it failed.' })
  step(3)
  put(said(3, 'I fill in where from.'))
  put(call(3, 'e', 'form_input', { ref: 'e4', value: 'Lisbon' }))
}
