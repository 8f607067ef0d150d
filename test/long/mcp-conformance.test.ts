import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mcpOverHttp } from '../../src/api/mcp/http.ts'
import { allowsHostOf } from '../../src/net/hosts.ts'
import { openTransport } from '../../src/net/open-transport.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { createReferenceServer } from './mcp-reference-server.ts'

/**
 * The official conformance suite of MCP. It asks every server for tools, prompts and resources of its own, so most of it
 * runs against a server that has those, over our transport; what any server can answer runs against the service.
 */
const SUITE = ['-y', '-p', 'node@22', '-p', '@modelcontextprotocol/conformance@0.1.16', 'conformance']

/** Scenarios in which a server asks its client, or counts on a session id: ours keeps nothing between requests. */
const NEED_A_SESSION = [
  'server-sse-multiple-streams',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
]
/** Scenarios that ask a server for nothing of its own. */
const FOR_ANY_SERVER = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

const test = suite('MCP by the official conformance suite')
const folder = tempFolder()
const conformance = (...args: string[]): Promise<string> =>
  promisify(execFile)('npx', [...SUITE, ...args], { cwd: folder, timeout: 300_000 }).then(
    ({ stdout }) => stdout,
    ({ message, stdout }) => {
      throw new Error(`${message}\n${stdout}`)
    },
  )

test('[Y7] our transport conforms', async () => {
  const reference = mcpOverHttp(createReferenceServer, (error) => console.error(error))
  const allowsHost = allowsHostOf([], null)
  const transport = await openTransport(null, console)
  const listener = await transport.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1024 * 1024,
    sockets: {},
    handle: (request) =>
      allowsHost(request.headers.host) ? reference(request) : { status: 421, headers: [], body: null },
  })
  const failures = join(folder, 'expected.yml')
  writeFileSync(failures, `server:\n${NEED_A_SESSION.map((name) => `  - ${name}\n`).join('')}`)
  try {
    const url = `http://127.0.0.1:${listener.port}/mcp`
    const output = await conformance('server', '--url', url, '--expected-failures', failures, '-o', folder)
    assert.match(output, /Total: 2\d passed/)
  } finally {
    await listener.close()
  }
})

test('[Y7] [Y8] the service conforms', async () => {
  const service = await openService()
  const proxy = await keyed(service.url, service.key)
  try {
    for (const scenario of FOR_ANY_SERVER) {
      const output = await conformance('server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, '-o', folder)
      assert.match(output, /Passed: (\d+)\/\1/, output)
    }
  } finally {
    proxy.close()
    await service.kill()
  }
})

/** The suite sends no keys: each request goes on as it is, with this one. */
async function keyed(target: string, key: string): Promise<{ url: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const options = { method, headers: { ...headers, authorization: `Bearer ${key}` } }
    const asked = request(target + url, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(asked)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const available = await conformance('--version').catch((error: Error) => error)
if (available instanceof Error) {
  console.log(`SKIPPED 2 npx cannot get the conformance suite: ${available.message.split('\n')[0]}`)
} else test.run()
