import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../harness/ports.ts'
import { startCli } from '../harness/process.ts'

const LOOK_EVERY_MS = 100
const TASK_MS_MAX = 300_000

export interface EndedTask {
  readonly id: string
  readonly status: string
  readonly answer: string | null
  readonly steps: number
  readonly ended_by: string | null
  /** Not of the first version. */
  readonly cost_usd?: number | null
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly apiCalls: number }
  readonly turns?: readonly { readonly tools: readonly unknown[] }[]
}

/** A version of the project as its clients use it: service and browser as processes of their own. */
export interface Service {
  /** Starts a task and waits for its end. */
  run(task: string, url: string): Promise<EndedTask>
  close(): Promise<void>
}

/** @param llm settings that choose the model. */
export async function openService(root: string, llm: Readonly<Record<string, string>>): Promise<Service> {
  const [port, relayPort] = await Promise.all([freePort(), freePort()])
  const dataDir = await mkdtemp(join(tmpdir(), 'browser-task-eval-'))
  const env = { HOST: '127.0.0.1', PORT: String(port), RELAY_PORT: String(relayPort), DATA_DIR: dataDir, ...llm }
  const url = `http://127.0.0.1:${port}`
  const service = startCli(root, ['serve'], env)
  const closing: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true }), () => service.end()]
  try {
    await healthy(url)
    const created = startCli(root, ['keys', 'create', '--workspace', 'default', '--json'], env)
    const [key] = await created.said(/svc_live_[0-9a-f]{48}/)
    const api = async <T>(path: string, body?: object): Promise<{ status: number; body: T; retryAfter: number }> => {
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      const retryAfter = Number(response.headers.get('retry-after') ?? 1)
      return { status: response.status, body: (await response.json()) as T, retryAfter }
    }
    const pairing = await api<{ pairing_token: string }>('/v1/browser-sessions/pair', {})
    const chrome = process.env.CHROME_PATH ? { CHROME_PATH: process.env.CHROME_PATH } : {}
    const browser = startCli(root, ['browser', '--url', url, '--token', pairing.body.pairing_token], chrome)
    closing.push(() => browser.end())
    const connected = async () => {
      const { body } = await api<{ sessions: { id: string; status: string }[] }>('/v1/browser-sessions')
      return body.sessions.find(({ status }) => status === 'connected')?.id
    }
    const browser_session_id = await eventually(connected, 30_000, 'The browser did not connect.')
    return {
      async run(task, pageUrl) {
        const request = { task, url: pageUrl, browser_session_id }
        let started = await api<{ id: string; error?: string }>('/v1/tasks', request)
        while (started.status === 429) {
          await pause(started.retryAfter * 1_000)
          started = await api('/v1/tasks', request)
        }
        if (started.status !== 201) throw new Error(`The task was refused: ${started.body.error}`)
        const ended = async () => {
          const { body } = await api<EndedTask>(`/v1/tasks/${started.body.id}`)
          return body.status === 'running' ? undefined : body
        }
        return eventually(ended, TASK_MS_MAX, 'The task did not end.')
      },
      close: () => closeAll(closing),
    }
  } catch (error) {
    await closeAll(closing)
    throw error
  }
}

async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const close of [...closing].reverse()) await close().catch(() => {})
}

const healthy = (url: string) =>
  eventually(
    async () => {
      const response = await fetch(`${url}/v1/health`).catch(() => null)
      return response?.ok ? true : undefined
    },
    30_000,
    'The service did not start.',
  )

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function eventually<T>(look: () => Promise<T | undefined>, ms: number, otherwise: string): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(LOOK_EVERY_MS)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(otherwise)
}
