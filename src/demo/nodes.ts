import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, connect as dial, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DemoService, Env } from './service.ts'
import { firstKeyOf, freePort, started } from './service.ts'

const LOOK_EVERY_MS = 50
const TAKEN_OVER_MS_MAX = 30_000
const MONGODB = fileURLToPath(new URL('../../test/support/mongo/server.ts', import.meta.url))

interface Node {
  readonly url: string
  readonly port: number
  readonly relayPort: number
  readonly child: ChildProcess
}

/**
 * Several nodes over one MongoDB and one nats-server, behind a load balancer of TCP. Both servers are those that
 * `MONGODB_URL` and `NATS_URL` name; else `nats-server`, and the MongoDB test server of a checkout, are started.
 * @throws Error in one line when one of them is missing
 */
export async function serveSeveral(env: Env, count: number): Promise<DemoService & { readonly relayPort: number }> {
  const helpers: ChildProcess[] = []
  const natsUrl = process.env.NATS_URL ?? (await startNats(helpers))
  const mongodbUrl = process.env.MONGODB_URL ?? (await startMongo(helpers))
  const nodes: Node[] = []
  const shared = { ...env, MONGODB_URL: mongodbUrl, NATS_URL: natsUrl }
  const key = await firstKeyOf({ ...env, MONGODB_URL: mongodbUrl })
  for (let n = 0; n < count; n++) {
    const [port, relayPort] = await Promise.all([freePort(), freePort()])
    const url = `http://127.0.0.1:${port}`
    const child = await started({ ...shared, PORT: String(port), RELAY_PORT: String(relayPort) }, url)
    nodes.push({ url, port, relayPort, child })
  }
  const alive = () => nodes.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  const http = await balance(() => alive().map(({ port }) => port))
  const relay = await balance(() => alive().map(({ relayPort }) => relayPort))
  const owner = async (): Promise<Node | null> => {
    for (const node of alive()) {
      const health = await fetch(`${node.url}/v1/health`).then((answer) => answer.json())
      if ((health as { active_tasks: number }).active_tasks > 0) return node
    }
    return null
  }
  return {
    url: `http://127.0.0.1:${portOf(http)}`,
    relayPort: portOf(relay),
    key,
    async crash() {
      const killed = await owner()
      if (!killed) throw new Error('No node runs the task.')
      const at = performance.now()
      const exited = once(killed.child, 'exit')
      killed.child.kill('SIGKILL')
      await exited
      for (;;) {
        const next = await owner()
        const awayMs = performance.now() - at
        if (next) return { killedPid: killed.child.pid ?? 0, newPid: next.child.pid ?? 0, awayMs }
        if (awayMs > TAKEN_OVER_MS_MAX) throw new Error('No other node went on with the task.')
        await setTimeout(LOOK_EVERY_MS)
      }
    },
    async stop() {
      http.close()
      relay.close()
      for (const { child } of alive()) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
      for (const helper of helpers) helper.kill('SIGKILL')
    },
  }
}

async function startNats(helpers: ChildProcess[]): Promise<string> {
  const port = await freePort()
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const missing = once(child, 'error').then(() => {
    throw new Error('Several nodes need NATS: install nats-server (apt-get install nats-server), or set NATS_URL.')
  })
  await Promise.race([once(child, 'spawn'), missing])
  missing.catch(() => {})
  helpers.push(child)
  return `nats://127.0.0.1:${port}`
}

async function startMongo(helpers: ChildProcess[]): Promise<string> {
  if (!existsSync(MONGODB)) throw new Error('Several nodes need MongoDB: set MONGODB_URL.')
  const args = ['--import', 'tsx', MONGODB, '--with-parent', '--port', '0']
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  helpers.push(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return `${line}/demo`
}

/** Each connection goes to the next node that lives. */
async function balance(ports: () => readonly number[]): Promise<Server> {
  let turn = 0
  const server = createServer((client) => {
    const living = ports()
    const node = dial(living[turn++ % living.length] ?? 0, '127.0.0.1')
    const end = () => {
      client.destroy()
      node.destroy()
    }
    for (const socket of [client, node]) socket.once('error', end).once('close', end)
    client.pipe(node).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const portOf = (server: Server): number => (server.address() as { port: number }).port
