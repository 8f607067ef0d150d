import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { TaskView } from '../../actors/task-service.ts'
import type { AuditRecord } from '../../machines/audit-records.ts'
import type { RecipeRecord, RecipeStep } from '../../machines/recipe.ts'
import { ended, state as inState } from '../support/events.ts'
import { anOrder } from '../support/held.ts'
import { aRecipe } from '../support/recipe-memory.ts'
import { aTask, aUsage, THEN } from '../support/stores.ts'
import { aDelivery, anEndpoint } from '../support/webhook-memory.ts'
import type { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

type Scene = Awaited<ReturnType<typeof openScene>>
type Fields = Partial<TaskView>

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const BUSY = 200
const TASKS = [
  'Order two pieces of the Kyoto teapot in this shop, wrapped as a gift, and tell me the order number and the total to pay',
  'Order two pieces of the Kyoto teapot, wrapped as a gift',
  'Send back the cast-iron kettle of the last order',
  'Order the Kyoto teapot in the large size',
  'Compare the three cheapest green teas that are in stock and make a table of price, weight and where each comes from',
]
const ANSWER =
  'The order is placed. Its number is **KL-001-3402**, and the total to pay is **$113.00**.\n\n| Item | Quantity | Price |\n| - | -: | -: |\n| Kyoto teapot, regular | 2 | $97.00 |\n| Gift wrapping | 1 | $3.50 |\n| Express delivery | 1 | $12.50 |\n\nThe large size was sold out. [The order](https://shop.example/orders/KL-001-3402) has the rest.'
const OUTPUT = {
  order_number: 'KL-001-3402',
  total: 113,
  currency: 'USD',
  items: [
    { name: 'Kyoto teapot, regular', quantity: 2, price: 97 },
    { name: 'Gift wrapping', quantity: 1, price: 3.5 },
    { name: 'Express delivery', quantity: 1, price: 12.5 },
  ],
  coupon: null,
}
const ENDINGS: readonly Fields[] = [
  {
    status: 'complete',
    answer: 'Done: its number is KL-001-3891, and the total to pay is $113.00.',
    endedBy: 'completed',
  },
  {
    status: 'complete',
    answer: 'Three are in stock: Sencha at $9.50, Bancha at $7.20 and Gunpowder at $6.80 for 100 g.',
    endedBy: 'completed',
  },
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
  const { taskService, store, base, open, clock } = scene
  clock.at = now
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
  yield await at('keys-empty', '/dashboard/keys', 'text=No keys yet')
  yield await at('recipes-empty', '/dashboard/recipes', 'text=No recipes yet')
  yield await at('audit-empty', '/dashboard/audit', 'text=No entries yet')
  await fillSettings(scene, now)
  yield await at('keys', '/dashboard/keys', 'text=Shop backend')
  yield await at('recipes', '/dashboard/recipes', 'text=On trial')
  for (const [name, words] of [
    ['recipe', 'Order'],
    ['recipe-trial', 'Find'],
  ] as const) {
    await page.goto(`${base}/dashboard/recipes`)
    await page.click(`th a >> text=${words}`)
    await page.waitForSelector('.recipe-steps')
    yield { name, page }
  }
  await page.click('button >> text=Run')
  await page.waitForSelector('dialog[open]')
  yield { name: 'recipe-run', page }
  yield await at('audit', '/dashboard/audit', 'th >> text=Create task')
  await page.click('button >> text=Filters')
  await page.click('th >> text=Update limits')
  await page.fill('#to', new Date(now + DAY).toISOString().slice(0, 10))
  await page.waitForSelector('button >> text=Clear all')
  yield { name: 'audit-filtered', page }
  yield await at('account', '/dashboard/account', 'text=When a task needs you')
  for (let n = 0; n < 160; n++) await store.usage.record(usageOf(n, now))
  yield await at('usage', '/dashboard/usage', 'text=By outcome')
  yield await at('members', '/dashboard/members', 'text=Open invitations')
  yield await at('limits', '/dashboard/limits', 'text=Throughput')
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
  await page.click('text=New profile')
  await page.fill('#name', 'acme')
  await page.click('text=Create profile')
  await page.waitForSelector('text=not signed in yet')
  yield { name: 'profiles', page }
  yield await at('tasks-first', '/dashboard', 'text=Look at a recorded task')
  await page.click('summary >> text=Options')
  await page.click('button >> text=Add a secret')
  yield { name: 'tasks-options', page }
  const keep = (fields: Fields): string => {
    const record = aTask({
      workspaceId,
      browserSessionId: laptop,
      url: 'https://shop.example/',
      createdAt: now - MINUTE,
      deadlineAt: now + 29 * MINUTE,
      usage: { inputTokens: 48_200, outputTokens: 1_310, apiCalls: 9 },
      ...{ approvals: 'irreversible', asksUser: true },
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
    const more = { state: 'closed', completedAt: createdAt + 14_000 + (n % 9) * 7_900, steps: 3 + (n % 19), metadata }
    taskService.tasksById.set(record.id, { ...record, ...more, ...fields })
    if (n >= PICTURED) continue
    taskService.keep(taskService.log.begin(record))
    const picture = PICTURES[n % PICTURES.length] ?? 1
    taskService.log.append(record.id, { type: 'picture.taken', at: createdAt, step: 1, call_id: 'a', picture })
  }
  const running = keep({ task: TASKS[0] ?? '', state: 'acting', steps: 5, createdAt: now - 8_000 })
  play(scene, running, IN_THE_CART)
  const expiresAt = now + 8 * MINUTE
  const asks = { id: 'r-1', kind: 'question', schema: null, call: null, expiresAt } as const
  const {
    id: _,
    terms,
    numbers,
    ...held
  } = anOrder('113.00', {
    ...{ path: '/checkout/orders', shape: 'POST https://shop.example/checkout/orders' },
    fields: [
      { name: 'items[0].name', value: 'Kyoto teapot, regular' },
      { name: 'items[0].quantity', value: '2' },
      { name: 'gift_wrap', value: 'true' },
      { name: 'total', value: '113.00' },
      { name: 'currency', value: 'usd' },
      { name: 'card', value: '•••• 4242' },
    ],
    target: { role: 'button', name: 'Place order' },
  })
  const changed = {
    fields: [{ name: 'total', before: '105.00', after: '113.00' }],
    numbers: { before: ['105.00'], after: ['113.00'] },
  }
  const input = { action: 'left_click', ref: 'e45' }
  const waiting = { state: 'waitingForInput', steps: 11, createdAt: now - 3 * MINUTE }
  const question = keep({
    ...{ ...waiting, task: TASKS[3] ?? '' },
    inputRequest: {
      ...asks,
      message: 'The large size is sold out. Should I order the regular one, 0.8 litres, for $48.50?',
    },
  })
  const approval = keep({
    ...{ ...waiting, task: TASKS[1] ?? '' },
    inputRequest: {
      ...{
        ...asks,
        kind: 'approval',
        message: 'Pay USD 113.00 at shop.example for 2 × “Kyoto teapot, regular”',
      },
      call: { tool: 'computer', input, held, changed },
    },
  } as Fields)
  const takenOver = keep({
    ...{ task: TASKS[2] ?? '', state: 'paused', pausedBy: ['browser'], steps: 5 },
    createdAt: now - 5 * MINUTE,
  })
  play(scene, question, BEFORE_THE_CART)
  play(scene, approval, BEFORE_THE_ORDER)
  for (const id of [question, approval]) ask(scene, id)
  play(scene, takenOver, IN_THE_CART)
  taskService.log.append(takenOver, { ...inState('paused'), at: Date.now() })
  yield await at('tasks-busy', '/dashboard', 'a.task >> nth=47')
  yield await at('tasks-found-nothing', '/dashboard?q=nothing+like+it', 'text=No task matches')
  yield await at('task-running', `/dashboard/tasks/${running}`, '.doing >> text=Fills in')
  yield await at('task-waiting-question', `/dashboard/tasks/${question}`, 'section.input')
  yield await at(
    'task-waiting-approval',
    `/dashboard/tasks/${approval}`,
    'section.input >> text=for the rest of this task',
  )
  yield await at('task-taken-over', `/dashboard/tasks/${takenOver}`, '.held >> text=Office laptop')
  const end = (id: string, fields: Fields): void => {
    taskService.end(id, { ...ended, at: Date.now() } as typeof ended)
    const view = taskService.tasksById.get(id)
    if (view) taskService.tasksById.set(id, { ...view, completedAt: Date.now(), ...fields })
  }
  play(scene, running, RECORDED.length, IN_THE_CART)
  end(running, { steps: 13, answer: ANSWER, output: JSON.stringify(OUTPUT) })
  yield await at('task-finished', `/dashboard/tasks/${running}`, '.whole-output')
  await page.click('button >> text=Share')
  await page.click('text=Create link')
  await page.waitForSelector('text=Open until')
  yield { name: 'task-share', page }
  const link = new URL(await page.inputValue('.share input'))
  yield await at('shared-result', link.pathname, '.whole-output')
  yield await at('shared-ended', link.pathname.replace(/.{8}$/, '00000000'), 'text=turned the link off')
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
  const answered = { at: now - 40_000, durationMs: 84, status: 200, reason: null, answer: 'ok' }
  const own = { endpointId: endpoint.id, workspaceId, createdAt: now - 2 * MINUTE, taskId: running }
  await store.deliveries.add(aDelivery({ ...own, attempts, nextAttemptAt: now + MINUTE }))
  await store.deliveries.add(aDelivery({ ...own, status: 'delivered', attempts: [answered] }))
  await store.deliveries.add(aDelivery({ ...own, status: 'failed', attempts }))
  yield await at('webhooks', '/dashboard/webhooks', 'text=Failing')
  yield await at('webhook-deliveries', `/dashboard/webhooks/${endpoint.id}`, '.badge >> text=Delivered')
  await store.endpoints.remove(workspaceId, endpoint.id)
  await page.close()
}

const BACKEND = randomUUID()

/** Keys, recipes and an audit log such as a workspace has that is in use. */
async function fillSettings({ store }: Scene, now: number): Promise<void> {
  const keyOf = (id: string, name: string, type: 'secret' | 'publishable', lastUsedAt: number | null) => ({
    ...{ id, workspaceId, name, type, lastUsedAt, createdAt: now - 40 * DAY, keyHash: id },
    keyPrefix: `svc_${type === 'secret' ? 'live' : 'pub'}_${createHash('sha256').update(name).digest('hex').slice(0, 7)}`,
  })
  await store.keys.insert(keyOf(BACKEND, 'Shop backend', 'secret', now - 2 * MINUTE))
  await store.keys.insert(keyOf('c'.repeat(36), 'Pairing in the shop', 'publishable', now - 3 * DAY))
  await store.keys.insert(keyOf('d'.repeat(36), 'Laptop of Ann', 'secret', null))
  for (const [n, fields] of RECIPES.entries()) {
    const { templateHash, ...made } = aRecipe({
      workspaceId,
      createdAt: now - n * DAY,
      updatedAt: now - n * DAY,
      ...fields,
    })
    await store.recipes.change(workspaceId, templateHash, () => ({ templateHash, ...made }))
  }
  for (const [n, [action, resource, more]] of AUDITED.entries())
    await store.audit.append([
      {
        ...{ id: randomUUID(), workspaceId, at: now - n * 47 * MINUTE, action, resource, outcome: 'done', keyId: null },
        ...{ actor: ANN_ACTS, address: '203.0.113.7', details: null },
        ...more,
      },
    ])
}

const PLAYED = { played: 41, deviated: 2, modelCallsSaved: 369, costUsdSaved: 4.31 }
const act = (role: string, name: string, input: RecipeStep['input'], tool = 'computer'): RecipeStep => ({
  ...{ tool, input, group: 1 },
  target: { role, name, alike: 1 },
})
const STEPS: readonly RecipeStep[] = [
  { tool: 'navigate', input: { url: 'https://shop.example/' }, group: 1 },
  { ...act('button', 'Accept cookies', { action: 'left_click' }), optional: true },
  act('searchbox', 'Search the shop', { value: '{{goods}}' }, 'form_input'),
  act('link', '{{goods}}', { action: 'left_click' }),
  act('spinbutton', 'Quantity', { value: '{{count}}' }, 'form_input'),
  {
    ...act('button', 'Add to the cart', { action: 'left_click' }),
    expect: { url: 'https://shop.example/products/*', lines: ['status "* in the cart"'] },
  },
  act('link', 'To the checkout', { action: 'left_click' }),
  {
    ...act('button', 'Place order', { action: 'left_click' }),
    expect: { url: 'https://shop.example/orders/*', lines: ['heading "Thank you"'] },
    terms: {
      form: 'POST https://shop.example/orders',
      fields: [
        { name: 'quantity', value: '{{count}}' },
        { name: 'total', value: '113.00' },
      ],
      lines: [],
    },
  },
]
const PRICE: readonly RecipeStep[] = [...STEPS.slice(0, 3), act('link', '{{goods}}', { action: 'left_click' })]
const RECIPES: readonly Partial<RecipeRecord>[] = [
  {
    task: 'Order {{count}} pieces of {{goods}} in this shop and tell me the order number',
    url: 'https://shop.example/',
    runs: PLAYED,
    current: { ...aRecipe().current, modelCalls: 9, costUsd: 0.11, steps: STEPS },
  },
  {
    task: 'Find the price of {{goods}}',
    runs: { ...PLAYED, played: 7, modelCallsSaved: 21, costUsdSaved: 0.34 },
    deviations: { '3': 1 },
    current: { ...aRecipe().current, steps: PRICE },
    trial: {
      ...{ ...aRecipe().current, version: 2 },
      steps: PRICE.map((step, n) =>
        n === 2 ? { ...step, target: { role: 'searchbox', name: 'Find tea', alike: 1 } } : step,
      ),
    },
  },
  { task: 'Download the invoice of {{order}}', disabled: true },
  { task: 'Look up the delivery of {{order}}', stale: true, runs: { ...PLAYED, deviated: 5 } },
]
const ANN_ACTS = { kind: 'user', id: ANN.userId, name: `Ann Keller (${ANN.email})`, role: 'owner' } as const
const BACKEND_ACTS = { kind: 'key', id: BACKEND, name: 'Shop backend', role: null } as const
const AUDITED: readonly (readonly [string, string | null, Partial<AuditRecord>])[] = [
  ['createTask', randomUUID(), { actor: BACKEND_ACTS, keyId: BACKEND, address: '198.51.100.20' }],
  ['updateLimits', null, { details: { running_tasks: 4, max_cost_usd_max: 2 } }],
  ['inviteMember', randomUUID(), { details: { email: 'cleo@example.com', role: 'member' } }],
  ['deleteApiKey', randomUUID(), { outcome: 'refused' }],
  ['createApiKey', BACKEND, { details: { name: 'Shop backend', type: 'secret' } }],
  ['signIn', null, {}],
]

/** What a task used: three models, two of which have a price, over some weeks. */
const usageOf = (n: number, now: number) =>
  aUsage({
    workspaceId,
    apiKeyId: n % 4 === 0 ? workspaceId : n % 3 === 0 ? 'd'.repeat(36) : BACKEND,
    // More on some days than on others, as people work.
    at: now - Math.floor(n / 6 + 3 * Math.sin(n / 9)) * DAY - (n % 9) * MINUTE,
    model: ['claude-sonnet-4-5', 'gpt-5', 'a-model-of-our-own'][n % 3] ?? '',
    outcome: n % 5 === 0 ? 'error' : 'complete',
    inputTokens: 20_000 * ((n % 7) + 1),
    cachedTokens: 9_000,
    outputTokens: 900,
    apiCalls: 9,
  })

interface Recorded {
  readonly type: string
  readonly at: number
  readonly call_id?: string
}
const EXAMPLE = JSON.parse(readFileSync(new URL('../../src/web/static/example/task.json', import.meta.url), 'utf8'))
/** What a recorded task did, with its pictures, as if its shop were elsewhere. */
const RECORDED: readonly Recorded[] = JSON.parse(
  JSON.stringify(EXAMPLE.events).replaceAll('http://127.0.0.1:4000', 'https://shop.example'),
)
  .filter(({ type }: Recorded) => !type.startsWith('task.'))
  .map(({ id: _, seq: __, task_id: ___, ...event }: Record<string, unknown>) => event)
const after = (words: string): number => RECORDED.findIndex((event) => JSON.stringify(event).includes(words)) + 1
/** So many of its events are over when it fills in how many, when it finds a size sold out, and before it orders. */
const IN_THE_CART = after('"ref":"e25","value":2')
const BEFORE_THE_CART = after('The large one is sold out')
const BEFORE_THE_ORDER = after('"ref":"e45"')
const PICTURES = RECORDED.flatMap((event) => ('picture' in event ? [Number(event.picture)] : []))
/** So many ended tasks have a picture in the list. */
const PICTURED = 60

/** The recorded task, as far as so many of its events, the last of them now. */
function play({ taskService: { log } }: Scene, id: string, until: number, from = 0): void {
  const shift = Date.now() - (RECORDED[until - 1]?.at ?? 0)
  for (const event of RECORDED.slice(from, until)) log.append(id, { ...event, at: event.at + shift } as never)
}

/** Says in the log of a task that waits what it asks, now. */
function ask({ taskService: { log, tasksById } }: Scene, id: string): void {
  const { id: request_id, expiresAt: expires_at, ...asked } = tasksById.get(id)?.inputRequest ?? {}
  log.append(id, { type: 'input.requested', at: Date.now(), request_id, expires_at, ...asked } as never)
}
