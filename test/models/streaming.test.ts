import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anthropicProvider } from '../../src/models/anthropic.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { googleProvider } from '../../src/models/google.ts'
import { openaiProvider } from '../../src/models/openai.ts'
import { openaiCompatibleProvider } from '../../src/models/openai-compatible.ts'
import { openModelEndpoint } from '../support/model-endpoint.ts'
import { KEY } from './conversation.ts'

/**
 * The service asks for whole answers. That the endpoint of the tests also streams as the real ones do is shown by the
 * providers' own stream readers, so that tests of other clients may rely on it.
 */
const test = suite('model endpoint: server-sent events')
const KINDS = { anthropicProvider, openaiProvider, googleProvider, openaiCompatibleProvider }

for (const [name, open] of Object.entries(KINDS)) {
  test(`streams text and tool calls that ${name} reads`, async () => {
    const endpoint = await openModelEndpoint()
    try {
      endpoint.plan({ text: 'I open it.', calls: [{ tool: 'navigate', input: { url: 'http://shop' } }] })
      const model = name === 'anthropicProvider' ? 'claude-sonnet-5-5' : 'some-model'
      const { languageModel } = open({
        model,
        baseUrl: endpoint.baseUrl,
        apiKey: KEY,
        contextTokens: 1,
        fetch: openFetch(),
      })
      const { stream } = await languageModel.doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Open the shop.' }] }],
      })
      let text = ''
      const calls: unknown[] = []
      const reader = stream.getReader()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (next.value.type === 'text-delta') text += next.value.delta
        if (next.value.type === 'tool-call') calls.push([next.value.toolName, JSON.parse(next.value.input)])
        if (next.value.type === 'error') throw next.value.error
      }
      assert.is(text, 'I open it.')
      assert.equal(calls, [['navigate', { url: 'http://shop' }]])
    } finally {
      await endpoint.close()
    }
  })
}

test.run()
