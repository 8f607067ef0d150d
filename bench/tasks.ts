import { Agent, request } from 'node:http'
import { START_WINDOW_MS, STARTS_PER_WINDOW_MAX } from '../machines/limits.ts'
import type { Browsers, LoadBrowser } from './browsers.ts'
import { hardSchema } from './hard-schemas.ts'
import { taskText } from './job.ts'
import type { PairedBrowser } from './paired-browsers.ts'

export interface Load {
  readonly httpPort: number
  /** Tasks under way at any time. */
  readonly atOnce: number
  /** It ends after this many seconds, or when this many tasks were started. */
  readonly seconds: number
  readonly tasksMax: number
  readonly steps: number
}

/** A little more than the window: clocks of two processes are compared. */
const WINDOW_MS = START_WINDOW_MS + 500
const LOOK_MS = 20
const TASK_MS_MAX = 60_000
/** Unused connections are closed before the service does it, in 10 s: a start could cross with that. */
const UNUSED_MS_MAX = 5_000

/**
 * Keeps so many tasks under way over real HTTP, within the limits of the workspaces, each in the browser that was unused
 * the longest. Resolves to how long each took, from its start to the end that its browser is told, in ms.
 */
export async function runTasks(browsers: Browsers, load: Load): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.atOnce, timeout: UNUSED_MS_MAX })
  const until = performance.now() + load.seconds * 1_000
  const took: number[] = []
  let started = 0
  let next = 0

  const free = (): LoadBrowser | null => {
    const now = performance.now()
    for (let looked = 0; looked < browsers.all.length; looked++) {
      const browser = browsers.all[next++ % browsers.all.length]
      if (!browser || browser.busy) continue
      while (browser.starts.length > 0 && now - (browser.starts[0] ?? 0) > WINDOW_MS) browser.starts.shift()
      if (browser.starts.length < STARTS_PER_WINDOW_MAX) return browser
    }
    return null
  }
  const worker = async () => {
    while (performance.now() < until && started < load.tasksMax) {
      const browser = free()
      if (browser) {
        started++
        const from = performance.now()
        await oneTask(agent, load, browser)
        took.push(performance.now() - from)
      } else await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  try {
    await Promise.all(Array.from({ length: load.atOnce }, worker))
  } finally {
    agent.destroy()
  }
  if (browsers.lost() > 0) throw new Error(`${browsers.lost()} browsers were disconnected under load`)
  return took
}

/** The starts of one workspace, whatever they are answered. */
export interface Starts {
  readonly httpPort: number
  readonly seat: PairedBrowser
  readonly count: number
  /** At most so many are under way at any time. */
  readonly atOnce: number
  /** At which rate they are sent; `null`: as fast as they are answered. */
  readonly perS: number | null
  /** Each with a schema of its own that is hard to compile, or with none. */
  readonly schemas: 'hard' | 'none'
}

/** Resolves to how many had which status. */
export async function sendStarts({
  httpPort,
  seat,
  count,
  atOnce,
  perS,
  schemas,
}: Starts): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const task = { task: taskText(seat.sessionId, 1), browser_session_id: seat.sessionId }
  const bodies = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ ...task, ...(schemas === 'hard' ? { output_schema: hardSchema(n) } : {}) }),
  )
  const answers: Record<number, number> = {}
  const from = performance.now()
  const worker = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const due = perS === null ? 0 : from + ((count - bodies.length) / perS) * 1_000 - performance.now()
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due))
      const { status } = await post(agent, httpPort, seat.key, body)
      answers[status] = (answers[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker)).finally(() => agent.destroy())
  return answers
}

async function oneTask(agent: Agent, { httpPort, steps }: Load, browser: LoadBrowser): Promise<void> {
  browser.busy = true
  browser.starts.push(performance.now())
  let timer: NodeJS.Timeout | undefined
  const completed = new Promise<void>((resolve, reject) => {
    // A task that went another way than it was meant to is none to be counted.
    browser.onComplete = ({ status, calls }) => {
      if (status === 'complete' && calls === steps) resolve()
      else reject(new Error(`A task of ${steps} steps ended ${status} after ${calls} calls`))
    }
    timer = setTimeout(() => reject(new Error(`A task did not end within ${TASK_MS_MAX} ms`)), TASK_MS_MAX)
  })
  try {
    const { sessionId, key } = browser.paired
    const body = JSON.stringify({ task: taskText(sessionId, steps), browser_session_id: sessionId })
    const started = post(agent, httpPort, key, body).then(({ status, text }) => {
      if (status !== 201) throw new Error(`A start was answered ${status}: ${text}`)
    })
    await Promise.all([completed, started])
  } finally {
    clearTimeout(timer)
    browser.onComplete = null
    browser.busy = false
  }
}

function post(agent: Agent, port: number, key: string, body: string): Promise<{ status: number; text: string }> {
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
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
