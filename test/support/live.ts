import { randomUUID } from 'node:crypto'
import type { Model, ModelReply } from '../../actors/runtime/ports.ts'
import { readConfig } from '../../src/config/config.ts'
import { hashToken, keyPrefixOf, newToken } from '../../src/identity/tokens.ts'
import { type RunningService, startService } from '../../src/main.ts'
import { answering } from './answering.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { memoryLog } from './http-wire.ts'
import { type MongoServer, startMongoServer } from './mongo/start.ts'
import { startNats } from './nats.ts'
import { Api } from './service/api.ts'
import { type CallResult, TestBrowser } from './service/browser.ts'
import { tempFolder } from './stores.ts'

/** On what the service stands. */
export interface Ground {
  readonly transport: 'uws' | 'node'
  readonly store: 'lmdb' | 'mongodb'
  /** Several nodes, with MongoDB: each connection goes to the next one. */
  readonly nodes?: number
}

/** The whole service in this process, on real ports: real taskService, real relay, real store. */
export interface Live {
  readonly service: RunningService
  readonly store: RunningService['store']
  readonly mongo: MongoServer | null
  /** Where the database server keeps what it holds when it is stopped. */
  readonly mongoData: string
  readonly log: ReturnType<typeof memoryLog>
  readonly dataDir: string
  /** A workspace of its own with a secret key. */
  workspace(): Promise<Tenant>
  close(): Promise<void>
}

/** One workspace as its clients see it. */
export interface Tenant {
  readonly id: string
  readonly keyId: string
  readonly api: Api
  key(type: 'secret' | 'publishable'): Promise<{ id: string; api: Api }>
  /** A paired browser that is connected, and answers calls. */
  browser(answer?: () => CallResult): Promise<{ id: string; token: string; browser: TestBrowser }>
}

/** What a task's text makes the model do: `hang` for ever, make one `call`, `throw`, or answer at once. */
const playing: Model = {
  id: 'played',
  provider: 'test',
  async ask({ messages, tools }, signal) {
    const text = JSON.stringify(messages[0])
    if (text.includes('throw')) throw new Error('a bug')
    if (text.includes('hang')) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    const asks = text.includes('call') && !JSON.stringify(messages).includes('I look.')
    const calls = asks ? [{ tool: 'find', input: { query: 'tea' } }] : []
    const said = asks ? { text: 'I look.', calls } : answering('Done.', tools)
    return { kind: 'reply', ...said, inputTokens: 7, outputTokens: 3, model: 'played' } as ModelReply
  },
}

/** @param env settings beside those that a test always sets. */
export async function openLive(
  { transport, store, nodes = 1 }: Ground,
  env: Record<string, string> = {},
): Promise<Live> {
  const mongoData = `${tempFolder()}/dump`
  const mongo = store === 'mongodb' ? await startMongoServer({ data: mongoData }) : null
  const log = memoryLog()
  const dataDir = tempFolder()
  const nats = nodes > 1 ? await startNats() : null
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    RELAY_PORT: '0',
    DATA_DIR: dataDir,
    TRANSPORT: transport,
    ...(mongo && { MONGODB_URL: `${mongo.url}/live` }),
    ...(nats && { NATS_URL: nats.url }),
    ...env,
  })
  const first = await startService({ config, log, model: playing })
  const others: RunningService[] = []
  while (others.length < nodes - 1) others.push(await startService({ config, log, model: playing }))
  const balancers = others.length === 0 ? [] : await balancing([first, ...others])
  const [http, relay] = balancers
  const service: RunningService =
    http && relay
      ? { ...first, url: `http://127.0.0.1:${http.port}`, httpPort: http.port, relayPort: relay.port }
      : first
  const browsers: TestBrowser[] = []
  const live: Live = {
    service,
    store: service.store,
    mongo,
    mongoData,
    log,
    dataDir,
    workspace: () => aTenant(live, browsers),
    async close() {
      for (const browser of browsers) browser.disconnect()
      await Promise.all([first, ...others].map((node) => node.stop()))
      for (const balancer of balancers) balancer.close()
      await nats?.kill()
      await mongo?.kill()
    },
  }
  return live
}

/** For HTTP and for the relay. */
const balancing = (nodes: readonly RunningService[]): Promise<Balancer[]> =>
  Promise.all([
    openBalancer(nodes.map(({ httpPort }) => httpPort)),
    openBalancer(nodes.map(({ relayPort }) => relayPort)),
  ])

async function aTenant({ service, store }: Live, browsers: TestBrowser[]): Promise<Tenant> {
  const id = randomUUID()
  await store.workspaces.insert({ id, name: id, plan: 'free', members: [], createdAt: Date.now() })
  const key: Tenant['key'] = async (type) => {
    const text = newToken(type)
    const record = { id: randomUUID(), workspaceId: id, name: 'a key', type, createdAt: Date.now(), lastUsedAt: null }
    await store.keys.insert({ ...record, keyHash: hashToken(text), keyPrefix: keyPrefixOf(text) })
    return { id: record.id, api: new Api(service.url, text) }
  }
  const { id: keyId, api } = await key('secret')
  return {
    id,
    keyId,
    api,
    key,
    async browser(answer = () => ({})) {
      const session = await api.pair()
      const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
      browsers.push(browser)
      return { id: session.id, token: session.token, browser }
    },
  }
}
