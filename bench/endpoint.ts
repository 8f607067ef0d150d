import { json } from '../src/api/replies.ts'
import { openTransport } from '../src/net/open-transport.ts'
import type { Response } from '../src/net/transport.ts'
import { openLog } from '../src/observe/log.ts'
import { answering } from '../test/support/answering.ts'
import { WIRES } from '../test/support/model-endpoint-wires.ts'
import { ANSWER, callOf, jobOf } from './job.ts'
import { serve } from './remote.ts'

/**
 * A process: a model over HTTP that speaks Anthropic's wire format and answers at once, or after a while. It represents another machine, so
 * it must take little of this one: it searches the text of a request without parsing it.
 */
const wire = WIRES.find(({ name }) => name === 'anthropic')
if (!wire) throw new Error('No wire format')

const reply = (text: string, calls: readonly { readonly tool: string; readonly input: object }[]) =>
  json(200, wire.reply({ text, calls, stop: null }, { model: 'bench-model' }))
const FINISH = answering(ANSWER, [{ name: 'finish' }])
const answer = reply(FINISH.text, FINISH.calls)
const replies: Response[] = []
const call = (step: number): Response => (replies[step] ??= reply(`Step ${step}.`, [callOf(step)]))

const ASSISTANT = '"role":"assistant"'

function replyTo(body: string): Response {
  // Quotes inside a message are escaped: what is found here is not part of one.
  const steps = Number(jobOf(body.slice(body.indexOf('"bench ') + 1))?.steps ?? 0)
  const step = body.split(ASSISTANT).length
  return step > steps ? answer : call(step)
}

let answersAfterMs = 0
const transport = await openTransport(null, openLog({ level: 'error' }))
const { port } = await transport.listen({
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 2 ** 24,
  sockets: {},
  handle: ({ method, path, body }) => {
    if (method !== 'POST' || !wire.path.test(path)) return json(404, wire.error(404, `no such path: ${path}`))
    const reply = replyTo(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'))
    if (answersAfterMs === 0) return reply
    return new Promise((resolve) => setTimeout(resolve, answersAfterMs, reply))
  },
})

const calls = {
  url: () => `http://127.0.0.1:${port}/v1`,
  answersAfter(ms: number) {
    answersAfterMs = ms
  },
}
export type EndpointCalls = typeof calls
serve(calls)
