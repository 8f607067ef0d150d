import { openTransport } from '../../src/http/open-transport.ts'
import { json } from '../../src/http/replies.ts'
import type { Response } from '../../src/http/transport.ts'
import { openLog } from '../../src/log.ts'
import { WIRES } from '../support/model-endpoint-wires.ts'
import { ANSWER, callOf, jobOf } from './parts/jobs.ts'
import { usageOfThis } from './parts/usage.ts'
import { serve } from './remote.ts'

/**
 * A model over HTTP, in a process of its own, that speaks Anthropic's wire format and answers at once. It stands for a
 * machine somewhere else, so it must take little of this one: it looks into a request without parsing it.
 */
const wire = WIRES.find(({ name }) => name === 'anthropic')
if (!wire) throw new Error('No wire format')

const reply = (text: string, calls: readonly ReturnType<typeof callOf>[]) =>
  json(200, wire.reply({ text, calls, stop: null }, { model: 'bench-model' }))
const answers = reply(ANSWER, [])
const replies: Response[] = []
const called = (step: number): Response => (replies[step] ??= reply(`Step ${step}.`, [callOf(step)]))

const ASSISTANT = '"role":"assistant"'

function replyTo(body: string): Response | Promise<Response> {
  // Quotes in what somebody said are escaped: what is found here is a message's own.
  const steps = jobOf(body.slice(body.indexOf('"bench ') + 1))?.steps ?? 0
  if (steps === 'hang') return new Promise(() => {})
  let step = 1
  for (let at = body.indexOf(ASSISTANT); at >= 0; at = body.indexOf(ASSISTANT, at + ASSISTANT.length)) step++
  return steps < step ? answers : called(step)
}

const transport = await openTransport(null, openLog({ level: 'error' }))
const { port } = await transport.listen({
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 2 ** 24,
  sockets: {},
  handle: ({ method, path, body }) => {
    if (method !== 'POST' || !wire.path.test(path)) return json(404, wire.error(404, `no such path: ${path}`))
    return replyTo(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'))
  },
})

const calls = { url: () => `http://127.0.0.1:${port}/v1`, usage: () => usageOfThis() }
export type EndpointCalls = typeof calls
serve(calls)
