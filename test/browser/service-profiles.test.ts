import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceProfiles } from '../../src/browser/service-profiles.ts'

const test = suite('saving the profile of a task')
const VALUES = { cookies: [{ name: 'sid', value: 'a value' }], origins: [] }

/** A service that answers with these statuses, one after the other; 0: it cuts the connection. The last one stays. */
async function serviceOf(statuses: readonly number[], port = 0) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const status = statuses[Math.min(bodies.length, statuses.length - 1)] ?? 200
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    if (status === 0) return void request.socket.destroy()
    response.writeHead(status).end('{}')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, bodies, port: (server.address() as AddressInfo).port }
}
const close = (server: Server) => {
  server.closeAllConnections()
  server.close()
  return once(server, 'close')
}
const profilesAt = (port: number) => serviceProfiles({ serviceUrl: `http://127.0.0.1:${port}`, sessionToken: 'token' })
const never = new AbortController().signal

for (const [what, statuses] of [
  ['is away for a moment', [0, 0, 200]],
  ['is without its store', [503, 503, 200]],
  ['is being replaced', [502, 0, 429, 200]],
] as const) {
  test(`[Z12] a service that ${what} is asked again, with the same values`, async () => {
    const { server, bodies, port } = await serviceOf(statuses)
    assert.ok(await profilesAt(port).save('task', VALUES, never))
    assert.is(bodies.length, statuses.length)
    assert.equal([...new Set(bodies)], [JSON.stringify(VALUES)])
    await close(server)
  })
}

test('[Z12] a service that is stopped and started again has it then', async () => {
  const first = await serviceOf([200])
  await close(first.server)
  const saving = profilesAt(first.port).save('task', VALUES, never)
  const second = await serviceOf([200], first.port)
  assert.ok(await saving)
  assert.equal(second.bodies, [JSON.stringify(VALUES)])
  await close(second.server)
})

test('[Z12] a refusal is final, and a browser that ends does not try on', async () => {
  for (const status of [400, 401, 404, 413]) {
    const { server, bodies, port } = await serviceOf([status])
    assert.not(await profilesAt(port).save('task', VALUES, never))
    assert.is(bodies.length, 1)
    await close(server)
  }
  const { server, port } = await serviceOf([503])
  const ending = new AbortController()
  const saving = profilesAt(port).save('task', VALUES, ending.signal)
  ending.abort()
  assert.not(await saving)
  await close(server)
})

test.run()
