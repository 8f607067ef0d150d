import { createHmac, randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { Task } from '../../../src/wire/tasks.ts'

const ANSWER_MS_MAX = 30_000

/** An answer of the service. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly json: any
}

/** A task as the API shows it; the fields that tests compare. */
export interface TaskJson {
  readonly output?: unknown
  readonly cost_usd?: number | null
  readonly recipe?: Task['recipe']
  readonly id: string
  readonly status: 'running' | 'complete' | 'error'
  readonly task: string
  readonly browser_session_id: string
  readonly answer: string | null
  readonly steps: number
  readonly state: string
  readonly failure: string | null
  readonly ended_by: string | null
  readonly created_at: number
  readonly completed_at: number | null
  /** `null` while it runs. */
  readonly turns: readonly { readonly tools: readonly { readonly name: string; readonly result: string }[] }[] | null
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly apiCalls: number }
}

/** A client of the service with one key. Each request has a connection of its own: none outlives a killed service. */
export class Api {
  readonly url: string
  readonly key: string

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('GET', path, undefined, headers)
  }

  post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('POST', path, body, headers)
  }

  /** JSON of `body` is sent, a string as it is. Rejects when no whole answer came. */
  ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = request(
        this.url + path,
        {
          method,
          agent: false,
          timeout: ANSWER_MS_MAX,
          headers: {
            ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('aborted', () => reject(new Error('the answer was cut')))
          response.on('end', () => {
            const raw = Buffer.concat(chunks)
            resolve({ status: response.statusCode ?? 0, headers: response.headers, raw, json: parsed(raw) })
          })
        },
      )
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)))
      sent.on('error', reject)
      sent.end(text)
    })
  }

  /** The task, or an error that says what was answered instead. */
  async task(id: string): Promise<TaskJson> {
    const answer = await this.get(`/v1/tasks/${id}`)
    if (answer.status !== 200) throw new Error(`task ${id}: ${answer.status} ${answer.raw}`)
    return answer.json
  }

  start(browserSessionId: string, task: string, more: object = {}): Promise<Answer> {
    return this.post('/v1/tasks', { task, browser_session_id: browserSessionId, ...more })
  }

  /** A browser session of this workspace, paired and registered, not yet connected. */
  async pair(body: object = {}): Promise<{ id: string; token: string; relayPort: number }> {
    const paired = await this.post('/v1/browser-sessions/pair', body)
    const { json, status } = await this.post('/v1/browser-sessions/register', {
      pairing_token: paired.json.pairing_token,
    })
    if (status !== 201) throw new Error(`register: ${status} ${JSON.stringify(json)}`)
    return { id: json.browser_session_id, token: json.session_token, relayPort: json.relay_port }
  }
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(String(raw))
  } catch {
    return null
  }
}

const PASSWORD = 'a long enough password'

/** A workspace of its own with a secret key, made as a person does it: sign up, then make a key. */
export async function newWorkspace(url: string): Promise<{ id: string; api: Api }> {
  const anonymous = new Api(url, '')
  const email = `${randomUUID()}@example.com`
  const origin = { origin: url }
  const signedUp = await anonymous.post('/api/auth/sign-up/email', { email, password: PASSWORD, name: 'Ada' }, origin)
  const cookie = (signedUp.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ')
  const made = await anonymous.post('/v1/api-keys', { name: 'test', password: PASSWORD }, { ...origin, cookie })
  if (made.status !== 201) throw new Error(`sign-up ${signedUp.status} ${signedUp.raw}, key ${made.status} ${made.raw}`)
  return { id: made.json.workspace_id, api: new Api(url, made.json.key) }
}

/** Delivers a payment event as the provider does: signed by hand over the raw body. */
export function deliverPayment(
  url: string,
  secret: string,
  event: { readonly id: string; readonly workspaceId: string; readonly credits: number },
): Promise<Answer> {
  const { id, workspaceId, credits } = event
  const metadata = { workspace_id: workspaceId, credits: String(credits) }
  const body = JSON.stringify({ id, type: 'checkout.session.completed', data: { object: { metadata } } })
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return new Api(url, '').post('/v1/billing/webhook', body, { 'payment-signature': `t=${seconds},v1=${signature}` })
}
