import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'

/** Tools, prompts and resources that the official conformance suite asks every server for. */

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const audio = { type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})
const user = <const Content>(content: Content) => ({ role: 'user' as const, content })

const CONTENTS = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
}

export function createReferenceServer(): McpServer {
  const capabilities = { logging: {}, completions: {}, resources: { subscribe: true } }
  const server = new McpServer({ name: 'reference', version: '1' }, { capabilities })
  addTools(server)
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('completion/complete', async () => ({ completion: { values: ['paris', 'park'] } }))
  return server
}

function addTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENTS)) {
    server.registerTool(name, { description: name }, async () => ({ content: [...content] }))
  }
  server.registerTool('test_error_handling', { description: 'Fails' }, async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool('test_tool_with_logging', { description: 'Logs' }, async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line)
      await pause()
    }
    return { content: [text('It has logged.')] }
  })
  server.registerTool('test_tool_with_progress', { description: 'Reports progress' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause()
    }
    return { content: [text(String(progressToken))] }
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      }),
    },
    async () => ({ content: [text('ok')] }),
  )
}

function addResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' }
  const read = (uri: string, words: string) => async () => ({ contents: [{ uri, ...plain, text: words }] })
  const [still, watched] = ['test://static-text', 'test://watched-resource']
  server.registerResource('text', still, plain, read(still, 'This is the content of the static text resource.'))
  server.registerResource('watched', watched, plain, read(watched, 'watched'))
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }))
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    async ({ href }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` }
      return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] }
    },
  )
  server.server.setRequestHandler('resources/subscribe', async () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}))
}

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, async () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'With arguments',
      argsSchema: toStandardJsonSchema(v.object({ arg1: v.string(), arg2: v.string() })),
    },
    async ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: toStandardJsonSchema(v.object({ resourceUri: v.string() })) },
    async ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, async () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }))
}
