import { Agent, request } from 'node:http'
import { START_WINDOW_MS, STARTS_PER_WINDOW_MAX } from '../../../machines/limits.ts'
import type { Browsers, LoadBrowser } from './browsers.ts'
import { taskOf } from './jobs.ts'
import { Samples, type Times } from './numbers.ts'

export interface Load {
  readonly httpPort: number
  /** Tasks under way at any time. */
  readonly atOnce: number
  /** It ends after this many seconds, or when this many tasks were started. */
  readonly seconds: number
  readonly tasksMax: number
  readonly steps: number
}

export interface Loaded {
  readonly tasks: number
  /** From the request to its `task_complete`. */
  readonly taskMs: Times
  readonly roundTripMs: Times
  /** The limits of the workspaces held it back. */
  readonly heldBack: boolean
}

/** A little more than the window: clocks of two processes are compared. */
const WINDOW_MS = START_WINDOW_MS + 500
const LOOK_MS = 20
const TASK_MS_MAX = 60_000

/** Keeps so many tasks under way over real HTTP, within the limits of the workspaces, each in the browser that rested longest. */
export async function putUnderLoad(browsers: Browsers, load: Load): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.atOnce })
  const taskMs = new Samples()
  browsers.roundTrips.clear()
  const from = performance.now()
  const until = from + load.seconds * 1_000
  let started = 0
  let heldBack = false
  let turn = 0

  const free = (): LoadBrowser | null => {
    const now = performance.now()
    for (let looked = 0; looked < browsers.all.length; looked++) {
      const browser = browsers.all[turn++ % browsers.all.length]
      if (!browser || browser.busy) continue
      while (browser.starts.length > 0 && now - (browser.starts[0] ?? 0) > WINDOW_MS) browser.starts.shift()
      if (browser.starts.length < STARTS_PER_WINDOW_MAX) return browser
    }
    return null
  }
  const worker = async () => {
    while (performance.now() < until && started < load.tasksMax) {
      const browser = free()
      if (!browser) {
        heldBack = true
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        continue
      }
      started++
      const startedAt = performance.now()
      await oneTask(agent, load, browser)
      taskMs.add(performance.now() - startedAt)
    }
  }
  try {
    await Promise.all(Array.from({ length: load.atOnce }, worker))
  } finally {
    agent.destroy()
  }
  const times = taskMs.times()
  return { tasks: times.count, taskMs: times, roundTripMs: browsers.roundTrips.times(), heldBack }
}

async function oneTask(agent: Agent, { httpPort, steps }: Load, browser: LoadBrowser): Promise<void> {
  browser.busy = true
  browser.starts.push(performance.now())
  let timer: NodeJS.Timeout | undefined
  const completed = new Promise<void>((resolve, reject) => {
    browser.onComplete = resolve
    timer = setTimeout(() => reject(new Error(`A task did not end within ${TASK_MS_MAX} ms`)), TASK_MS_MAX)
  })
  try {
    const { seat } = browser
    const body = JSON.stringify({ task: taskOf(seat.sessionId, steps), browser_session_id: seat.sessionId })
    await Promise.all([completed, post(agent, httpPort, seat.key, body)])
  } finally {
    clearTimeout(timer)
    browser.onComplete = null
    browser.busy = false
  }
}

function post(agent: Agent, port: number, key: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/v1/tasks', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () =>
        answer.statusCode === 201 ? resolve() : reject(new Error(`A start was answered ${answer.statusCode}: ${text}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
