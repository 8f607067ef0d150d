import { randomUUID } from 'node:crypto'
import type { Random } from '../simulation/random.ts'
import { type Api, deliverPayment, newWorkspace, type TaskJson } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { type Job, taskOf } from '../support/service/model.ts'
import { type Hook, openHook } from './webhooks.ts'

export const PAYMENT_SECRET = 'a secret of the payment provider'
export const FREE_TASKS = 3
const STARTS_MAX = 10
const WINDOW_MS = 61_000
/** Older ones have ended, most likely. */
const LATEST = 2

/** A start that was sent. */
export interface Attempt {
  readonly job: Job
  /** `null`: no answer came, and whether the task exists is to be found out. */
  id: string | null
  /** 201 was answered. */
  acknowledged: boolean
  cancelled: boolean
  /** A SIGTERM was sent while it ran. */
  interrupted: boolean
  /** The body of its GET, once it had ended. */
  final: string | null
  /** Its events as they were last read. */
  events: readonly string[]
}
export interface Payment {
  readonly id: string
  readonly credits: number
  acknowledged: boolean
}

/** One workspace with its key and its browser, and what was promised to it. */
export interface Tenant {
  readonly name: string
  readonly url: string
  readonly id: string
  readonly api: Api
  readonly sessionId: string
  readonly protocol: 1 | 2
  readonly browser: TestBrowser
  readonly hook: Hook
  readonly attempts: Attempt[]
  readonly payments: Payment[]
  /** Starts that were ever sent. */
  sent: number
  /** Those of the last minute, by when. */
  readonly sentAt: number[]
  /** Statuses other than 201 that starts were answered with. */
  readonly refused: Map<number, number>
  /** Its browser has lost its memory once. */
  forgot: boolean
}

/** @param relayPort where its browser connects; the service's own when it is left out */
export async function openTenant(
  url: string,
  name: string,
  protocol: 1 | 2,
  random: Random,
  relayPort?: number,
): Promise<Tenant> {
  const { id, api } = await newWorkspace(url)
  const session = await api.pair()
  const browser = await TestBrowser.open({
    relayPort: relayPort ?? session.relayPort,
    token: session.token,
    protocol,
    answer: ({ input }) => ({ output: `did ${input.text}`, ms: random.whole(0, 60) }),
  })
  const hook = await openHook(api)
  const lists = { attempts: [], payments: [], sentAt: [], refused: new Map<number, number>() }
  return { name, url, id, api, sessionId: session.id, protocol, browser, hook, ...lists, sent: 0, forgot: false }
}

/** It has not sent as many starts as the rate limit takes. */
export function mayStart({ sentAt }: Tenant): boolean {
  while ((sentAt[0] ?? Number.POSITIVE_INFINITY) < performance.now() - WINDOW_MS) sentAt.shift()
  return sentAt.length < STARTS_MAX
}

/** Sends a start, and takes down what became of it. Never rejects. */
export async function startSome(tenant: Tenant, random: Random): Promise<void> {
  const job: Job = {
    name: `${tenant.name}-${tenant.sent++}`,
    steps: random.whole(0, 4),
    ms: random.chance(0.5) ? random.whole(1, 80) : 0,
    end: random.chance(0.1) ? 'refuse' : 'answer',
  }
  tenant.sentAt.push(performance.now())
  const attempt: Attempt = {
    job,
    id: null,
    acknowledged: false,
    cancelled: false,
    interrupted: false,
    final: null,
    events: [],
  }
  tenant.attempts.push(attempt)
  const answer = await tenant.api.start(tenant.sessionId, taskOf(job)).catch(() => null)
  if (answer?.status === 201) {
    attempt.id = answer.json.id
    attempt.acknowledged = true
  } else if (answer) {
    tenant.refused.set(answer.status, (tenant.refused.get(answer.status) ?? 0) + 1)
    // A 5xx says nothing of whether it exists.
    if (answer.status < 500) tenant.attempts.splice(tenant.attempts.indexOf(attempt), 1)
  }
}

/** Those that may still run. */
export const openAttempts = ({ attempts }: Tenant): Attempt[] => attempts.filter(({ final }) => final === null)

/** Cancels one task that may still run. Never rejects. */
export async function cancelSome(tenant: Tenant, random: Random): Promise<void> {
  const running = openAttempts(tenant)
    .filter(({ id }) => id !== null)
    .slice(-LATEST)
  if (running.length === 0) return
  const attempt = random.pick(running)
  attempt.cancelled = true
  await tenant.api.post(`/v1/tasks/${attempt.id}/cancel`).catch(() => null)
}

/** Makes a new payment event, or takes an old one, and delivers it up to three times at once. Never rejects. */
export async function paySome(tenant: Tenant, random: Random): Promise<void> {
  const { payments } = tenant
  if (payments.length === 0 || random.chance(0.7)) {
    payments.push({ id: `evt_${randomUUID()}`, credits: random.whole(1, 5), acknowledged: false })
  }
  const payment = random.chance(0.5) ? payments.at(-1) : random.pick(payments)
  if (!payment) return
  await Promise.all(Array.from({ length: random.whole(1, 3) }, () => deliver(tenant, payment)))
}

/** One delivery, as the provider repeats it until it hears 200. */
export async function deliver(tenant: Tenant, payment: Payment): Promise<void> {
  const { id, credits } = payment
  const event = { id, credits, workspaceId: tenant.id }
  const answer = await deliverPayment(tenant.url, PAYMENT_SECRET, event).catch(() => null)
  if (answer?.status === 200) payment.acknowledged = true
}

/** As a client does: a 503 that says when to come again is asked again, for a minute. */
export async function answered(ask: () => ReturnType<Api['get']>): ReturnType<Api['get']> {
  for (let seconds = 60; ; ) {
    const answer = await ask()
    const after = Number(answer.headers['retry-after'] ?? Number.NaN)
    if (answer.status !== 503 || !(after > 0) || after > seconds) return answer
    seconds -= after
    await new Promise((resolve) => setTimeout(resolve, after * 1_000))
  }
}

/** Every task of the workspace, as the API lists them. */
export async function listed(tenant: Tenant): Promise<TaskJson[]> {
  const tasks: TaskJson[] = []
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, json, raw } = await answered(() => tenant.api.get(`/v1/tasks?limit=100${after}`))
    if (status !== 200) throw new Error(`list: ${status} ${raw}`)
    tasks.push(...json.tasks)
    cursor = json.next_cursor
  }
  return tasks
}
