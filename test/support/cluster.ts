import { placesOf, SHARDS, shardOf } from '../../machines/placement.ts'
import { ENTRY } from './built.ts'
import { eventually } from './eventually.ts'
import { databaseAt, type MongoServer, startMongoServer } from './mongo/start.ts'
import { type NatsServer, startNats } from './nats.ts'
import { Api, newWorkspace } from './service/api.ts'
import { TestBrowser, type TestBrowserOptions } from './service/browser.ts'
import { openJobModel } from './service/model.ts'
import { openService, type ServiceOptions, type TestService } from './service.ts'

/** What health says of a node and the others. */
export interface ClusterJson {
  readonly node: string
  readonly connected: boolean
  readonly owns: number
  readonly nodes: readonly { readonly id: string; readonly owns: number }[]
}

/** Several nodes as processes of their own, with a real nats-server and the MongoDB test server. */
export class Cluster {
  readonly nodes: TestService[] = []
  readonly browsers: TestBrowser[] = []
  /** `null`: the server that TEST_MONGODB_URL names. */
  readonly mongo: MongoServer | null
  readonly nats: NatsServer
  readonly model: Awaited<ReturnType<typeof openJobModel>>
  readonly env: Readonly<Record<string, string>>
  readonly #entry: string
  #key = ''

  /** `entry`: another build of the service. `gid`: the group of the first node; each has one of its own. */
  static async open(
    count: number,
    env: Readonly<Record<string, string>> = {},
    { entry = ENTRY, gid }: Pick<ServiceOptions, 'entry' | 'gid'> = {},
  ): Promise<Cluster> {
    const own = process.env.TEST_MONGODB_URL ? null : startMongoServer()
    const [mongo, nats, model] = await Promise.all([own, startNats(), openJobModel()])
    const cluster = new Cluster(mongo, nats, model, env, entry)
    for (let index = 0; index < count; index++) await cluster.add({}, gid && gid + index)
    await cluster.settled()
    return cluster
  }

  private constructor(
    mongo: MongoServer | null,
    nats: NatsServer,
    model: Cluster['model'],
    env: Record<string, string>,
    entry: string,
  ) {
    this.#entry = entry
    this.mongo = mongo
    this.nats = nats
    this.model = model
    this.env = { ...model.env, MONGODB_URL: databaseOf(mongo?.url), NATS_URL: nats.url, ...env }
  }

  async add(env: Readonly<Record<string, string>> = {}, gid?: number, entry = this.#entry): Promise<TestService> {
    const node = await openService({ env: { ...this.env, ...env }, entry, ...(gid ? { gid } : {}) })
    this.nodes.push(node)
    if (this.#key === '') this.#key = node.key
    return node
  }

  /** The API at one node, in the present workspace. */
  api(node: TestService): Api {
    return new Api(node.url, this.#key)
  }

  /** A workspace of its own from here on: each has its own limits. */
  async newWorkspace(): Promise<void> {
    const [node] = this.alive
    this.#key = (await newWorkspace(node?.url ?? '')).api.key
  }

  /** A workspace that this node owns. */
  async newWorkspaceOf(owner: TestService): Promise<void> {
    const ids = await Promise.all(this.alive.map(async (node) => [(await this.seen(node)).node, node] as const))
    for (;;) {
      const { id, api } = await newWorkspace(owner.url)
      const owning = placesOf(ids.map(([nodeId]) => nodeId))[shardOf(id)]
      if (ids.find(([, node]) => node === owner)?.[0] !== owning) continue
      this.#key = api.key
      return
    }
  }

  async seen(node: TestService): Promise<ClusterJson> {
    const { json } = await new Api(node.url, '').get('/v1/health')
    return json.cluster
  }

  get alive(): TestService[] {
    return this.nodes.filter(({ exit }) => exit === null)
  }

  /** Every shard has an owner, and every node its share. */
  settled(ms = 40_000): Promise<void> {
    return eventually(
      async () => {
        const all = await Promise.all(this.alive.map((node) => this.seen(node)))
        return all.every(({ owns }) => owns > 0) && all.reduce((sum, { owns }) => sum + owns, 0) === SHARDS
      },
      'every shard has an owner',
      ms,
    )
  }

  /** A session whose browser is connected at a node. */
  async browserAt(node: TestService, options: Partial<TestBrowserOptions> = {}) {
    const session = await this.api(node).pair()
    const browser = await TestBrowser.open({ relayPort: node.relayPort, token: session.token, ...options })
    this.browsers.push(browser)
    return { session, browser }
  }

  /** The node at which a task runs. */
  async ownerOfRunning(): Promise<TestService> {
    let owner: TestService | undefined
    await eventually(async () => {
      for (const node of this.alive) {
        const { json } = await new Api(node.url, '').get('/v1/health')
        if (json.active_tasks > 0) owner = node
      }
      return owner !== undefined
    }, 'a node runs a task')
    return owner as TestService
  }

  async close(): Promise<void> {
    for (const browser of this.browsers) browser.disconnect()
    await Promise.all(this.nodes.map((node) => node.kill()))
    await this.model.endpoint.close()
    await this.nats.kill()
    await this.mongo?.kill()
  }
}

/** A database of this run, on the server that was started or the one that TEST_MONGODB_URL names. */
const databaseOf = (started: string | undefined): string =>
  databaseAt(started ?? process.env.TEST_MONGODB_URL ?? '', `cluster_${process.pid}_${Date.now()}`)
