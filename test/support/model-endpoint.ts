import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Call, WIRES, type Wire } from './model-endpoint-wires.ts'

/** What the endpoint does with one request. */
export type Plan =
  | {
      readonly text?: string
      readonly calls?: readonly Call[]
      readonly stop?: 'length' | 'refusal'
      /** It takes so long. */
      readonly ms?: number
      /** Of a stream: the pause before each of its events. */
      readonly eventMs?: number
      /** Of a stream: it ends after so many events, cut off or in good order. */
      readonly ends?: { readonly after: number; readonly how: 'cut' | 'closed' }
    }
  /** Answers with this reply of the wire, whole or as a stream. */
  | { readonly whole: object }
  | { readonly status: number; readonly message?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Answers 200 with this body, whatever it is. */
  | { readonly raw: string; readonly status?: number; readonly type?: string }
  /** Never answers. */
  | 'hang'
  /** Closes the connection in the middle of the answer's body. */
  | 'cut'
  /** Closes the connection before the answer's head. */
  | 'reset'

/** JSON to look into; its leaves are for comparing only. */
export interface Body {
  readonly [field: string]: Body | undefined
}

/** One request as it came in. */
export interface Seen {
  readonly wire: Wire
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Body
  /** Connections are numbered in the order in which they were opened. */
  readonly connection: number
}

export interface ModelEndpoint {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string
  readonly requests: readonly Seen[]
  /** What the next requests get, in order; the last plan is kept for all that follow. */
  plan(...plans: readonly (Plan | ((seen: Seen) => Plan))[]): void
  /** Resolves when a hanging request was given up by its client. */
  abandoned(): Promise<void>
  close(): Promise<void>
}

/**
 * A local endpoint that speaks the wire formats of Anthropic Messages, OpenAI chat completions and responses, and Google
 * generateContent, plain and (for `stream: true`) as server-sent events. An unknown path is 404.
 */
export async function openModelEndpoint(): Promise<ModelEndpoint> {
  const requests: Seen[] = []
  let plans: (Plan | ((seen: Seen) => Plan))[] = [{ text: 'Hello.' }]
  let connections = 0
  const numbers = new WeakMap<object, number>()
  let gone = () => {}
  const abandoned = new Promise<void>((resolve) => {
    gone = resolve
  })

  const server = createServer((req, res) => {
    res.on('close', () => {
      if (!res.writableFinished) gone()
    })
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const path = req.url ?? ''
      const wire = WIRES.find((known) => known.path.test(path))
      if (!wire) {
        json(res, 404, { error: { message: `no such path: ${path}` } })
        return
      }
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      const seen = { wire, path, headers: req.headers, body, connection: numbers.get(req.socket) ?? -1 }
      requests.push(seen)
      const next = plans.length > 1 ? plans.shift() : plans[0]
      follow((typeof next === 'function' ? next(seen) : next) ?? {}, seen, res)
    })
  })
  server.on('connection', (socket) => numbers.set(socket, connections++))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    plan(...wanted) {
      plans = [...wanted]
    },
    abandoned: () => abandoned,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function follow(plan: Plan, seen: Seen, res: ServerResponse): void {
  if (plan === 'hang') return
  if (typeof plan === 'object' && 'ms' in plan) {
    const { ms, ...reply } = plan
    setTimeout(ms).then(() => follow(reply, seen, res))
    return
  }
  if (plan === 'reset') {
    res.destroy()
  } else if (plan === 'cut') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    res.write('{"id":', () => res.destroy())
  } else if ('raw' in plan) {
    res.writeHead(plan.status ?? 200, { 'content-type': plan.type ?? 'application/json' })
    res.end(plan.raw)
  } else if ('status' in plan) {
    json(res, plan.status, seen.wire.error(plan.status, plan.message ?? 'It failed.'), plan.headers)
  } else {
    const model = { model: String(seen.body.model) }
    const whole =
      'whole' in plan
        ? plan.whole
        : seen.wire.reply({ text: plan.text ?? '', calls: plan.calls ?? [], stop: plan.stop ?? null }, model)
    if ((seen.body.stream as unknown) !== true && !seen.path.includes(':stream')) json(res, 200, whole)
    else void streamed(seen.wire.stream(whole), 'whole' in plan ? {} : plan, res)
  }
}

async function streamed(
  events: readonly string[],
  { eventMs = 0, ends }: Pick<Extract<Plan, { eventMs?: number }>, 'eventMs' | 'ends'>,
  res: ServerResponse,
): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (const event of events.slice(0, ends?.after)) {
    if (eventMs > 0) await setTimeout(eventMs)
    await new Promise((written) => res.write(event, written))
  }
  if (ends?.how === 'cut') res.destroy()
  else res.end()
}

function json(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}
