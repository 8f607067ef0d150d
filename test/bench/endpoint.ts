import { openModelEndpoint, type Seen } from '../support/model-endpoint.ts'
import { ANSWER, callOf, jobOf } from './parts/jobs.ts'
import { usageOfThis } from './parts/usage.ts'
import { serve } from './remote.ts'

/** A model over HTTP, in a process of its own, that speaks Anthropic's wire format and answers at once. */
const endpoint = await openModelEndpoint()
const seen = endpoint.requests as unknown[]

endpoint.plan(({ body }: Seen) => {
  // It remembers its requests for tests; here they would only fill the memory.
  seen.length = 0
  const messages = body.messages as unknown as readonly { role: string; content: unknown }[]
  const words = /bench [^"\\]*/.exec(JSON.stringify(messages[0]?.content))?.[0] ?? ''
  const steps = jobOf(words)?.steps ?? 0
  if (steps === 'hang') return 'hang'
  const step = messages.filter(({ role }) => role === 'assistant').length + 1
  return step > steps ? { text: ANSWER } : { text: `Step ${step}.`, calls: [callOf(step)] }
})

const calls = { url: () => endpoint.baseUrl, usage: () => usageOfThis() }
export type EndpointCalls = typeof calls
serve(calls)
