import { request as httpRequest } from 'node:http'
import * as assert from 'uvu/assert'
import type { Log } from '../../actors/runtime/ports.ts'
import type { TaskView } from '../../actors/task-service.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import type { Accounts, Member, PagesPort } from '../../src/api/deps.ts'
import { refuse } from '../../src/api/refusals.ts'
import { LOOPBACK } from '../../src/config/network.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import { nodeTransport } from '../../src/net/node.ts'
import { createRequestOriginOf, proxiesOf } from '../../src/net/request-origin.ts'
import { openPages, type PagesDeps } from '../../src/web/pages.ts'
import { NO_MEMBERS } from './no-members.ts'

export const NOW = Date.UTC(2026, 1, 3, 4, 5)
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }
export const HOSTILE = '<script>alert("1")</script>&\'"'

export const workspace = (id: string, name: string): WorkspaceRecord => ({
  id,
  name,
  plan: 'free',
  members: ['u'],
  createdAt: 0,
})
export const ANN: Member = {
  userId: 'u',
  name: `Ann ${HOSTILE}`,
  email: 'ann@example.com',
  workspaces: [workspace('w-1', `first ${HOSTILE}`), workspace('w-2', 'second')],
}

export const taskOf = (more: Partial<TaskView>): TaskView =>
  ({
    id: 't',
    task: 'Buy tea',
    status: 'complete',
    state: 'closed',
    answer: 'Done',
    steps: 3,
    createdAt: NOW,
    ...more,
  }) as TaskView

/** Accounts in which the cookie `ann` is Ann's and nothing else is anyone's. */
export const annAlone: Accounts = {
  signUp: true,
  confirms: false,
  sendsLinks: true,
  sendsMail: true,
  forget: () => {},
  principalOf: async ({ cookie }) => (cookie === 'ann' ? ANN : null),
  confirm: async (_, password) => ({ isPassword: password === 'right', hasPassword: true, isFresh: true, waitMs: 0 }),
  handle: async () => ({ status: 200, headers: [], body: '{}' }),
  socialUrl: async () => Promise.reject(new Error('none')),
}

const NOTHING: PagesDeps['store'] = {
  audit: { append: async () => {}, list: async () => [], retire: async () => 0 },
  pairings: { get: async () => null, insert: async () => {}, consume: async () => null, sweep: async () => {} },
  keys: {
    byHash: async () => null,
    list: async () => [],
    insert: async () => {},
    missing: async () => [],
    touch: async () => {},
    remove: async () => false,
  },
  workspaces: {
    get: async () => null,
    insert: async (record) => record,
    byName: async () => null,
    ofMember: async () => [],
    update: async () => null,
    list: async () => [],
  },
  recipes: {
    get: async () => null,
    ofTemplate: async () => null,
    list: async () => [],
    change: async () => null,
    remove: async () => false,
  },
  traces: { keep: async () => {}, get: async () => null },
  image: async () => null,
}
const NO_EVENTS = { lastOfTask: async () => 0, ofTask: async () => [] } as never
const IDLE: PagesDeps['taskService'] = {
  task: async () => null,
  steps: async () => [],
  events: NO_EVENTS,
  models: () => ['m'],
}

const none = async () => null
const NO_ENDPOINTS: PagesDeps['endpoints'] = {
  create: async () => 'secrets_not_configured',
  list: async () => [],
  get: none,
  update: none,
  remove: async () => false,
  rotate: none,
  test: none,
  deliveries: none,
  delivery: none,
  redeliver: none,
  recover: none,
}

/** No application is known. */
const NO_APPS: PagesDeps['oauth'] = {
  register: none,
  client: async () => null,
  createCode: async () => 'a code',
  exchange: async () => null,
  refresh: async () => null,
  grantOf: async () => null,
  revoke: async () => {},
  list: async () => [],
  remove: async () => false,
}

export type Fakes = Partial<Omit<PagesDeps, 'taskService' | 'store'>> & {
  readonly taskService?: Partial<PagesDeps['taskService']>
  readonly store?: { readonly [Table in keyof PagesDeps['store']]?: Partial<PagesDeps['store'][Table]> }
}

/** What the pages stand on: nothing is there and nothing happens, but for what a test gives. */
export function depsOf(more: Fakes = {}): PagesDeps {
  const { taskService, store, ...others } = more
  return {
    accounts: annAlone,
    clock: { now: () => NOW },
    log: SILENT,
    config: { publicUrl: null },
    providers: [],
    members: NO_MEMBERS,
    modelConfigured: true,
    tryOut: null,
    ownPool: null,
    metricsToken: null,
    requestOriginOf: createRequestOriginOf({
      publicUrl: others.config?.publicUrl ?? null,
      proxies: proxiesOf(LOOPBACK),
    }),
    endpoints: NO_ENDPOINTS,
    oauth: NO_APPS,
    readTokens: { create: async () => ({ token: 'a-token', expiresAt: NOW }), makerOf: async () => null },
    inspector: {
      names: ['task'],
      svg: async (name) => (name === 'task' ? '<svg></svg>' : null),
      sentences: async () => ({}),
      actors: () => null,
      actor: () => null,
      nodes: () => null,
    },
    requestOf: async () => null,
    sessions: {
      isOwner: async (key) => key === 'svc_owner_test',
      open: async () => 'a session',
      find: async () => null,
      end: async () => {},
    },
    production: false,
    metrics: async () => ({ type: 'text/plain; version=0.0.4', text: '# none\n' }),
    extensionZip: async () => new TextEncoder().encode('a zip file'),
    archives: {
      names: { typescript: 'client.tgz', python: 'client.whl', service: 'service.tgz' },
      read: async () => new Map(),
    },
    refuse,
    openApi: () => ({ paths: {} }),
    errors: () => [],
    ...others,
    taskService: { ...IDLE, ...taskService },
    store: { ...NOTHING, ...store } as PagesDeps['store'],
  }
}

export function pairingsOf(
  ...records: { token: string; expiresAt: number; label?: string }[]
): NonNullable<Fakes['store']> {
  const kept = new Map(
    records.map(({ token, expiresAt, label }) => [
      hashToken(token),
      {
        tokenHash: hashToken(token),
        workspaceId: 'w',
        keyId: null,
        label: label ?? null,
        externalUserId: null,
        expiresAt,
        createdBy: `the key “${HOSTILE}”`,
      },
    ]),
  )
  return {
    pairings: { get: async (hash) => kept.get(hash) ?? null },
    workspaces: { get: async (id) => workspace(id, `tea shop ${HOSTILE}`) },
  }
}

/** Pages behind a real listener; what is none of theirs is 404 `not a page`. */
export async function serve(deps: PagesDeps): Promise<{ port: number; close(): Promise<void> }> {
  const pages: PagesPort = await openPages(deps)
  const listener = await nodeTransport(SILENT).listen({
    host: '127.0.0.1',
    port: 0,
    handle: async (request) =>
      (await pages.answer(request, () => {})) ?? { status: 404, headers: [], body: 'not a page' },
    maxBodyBytes: 131_072,
    sockets: {},
  })
  return { port: listener.port, close: () => listener.close() }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** A request whose path is sent as it is: `fetch` would resolve its dots. */
export function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((done, failed) => {
    const { method = 'GET', headers = {}, body } = options
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () =>
        done({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

/** What every page owes its reader. */
export function isPage(answer: Answer, status = 200): void {
  assert.is(answer.status, status)
  assert.is(answer.headers['content-type'], 'text/html; charset=utf-8')
  const policy = String(answer.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.not.match(policy, /unsafe/)
  assert.is(answer.headers['x-content-type-options'], 'nosniff')
  assert.match(answer.text, /<html lang="en">/)
  assert.match(answer.text, /<title>[^<]+<\/title>/)
  assert.is(answer.text.match(/<h1[ >]/g)?.length, 1)
  assert.not.match(
    answer.text,
    /<script(?! type="module" src="\/static\/client\/[a-z]+\.js\?v=[\w-]{43}"><\/script>)|<style|\son[a-z]+=|\sstyle=|=["']?\s*javascript:/i,
  )
  const ids = [...answer.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  assert.is(new Set(ids).size, ids.length)
  for (const [input] of answer.text.matchAll(/<(?:input|select|textarea)[^>]+>/g)) {
    if (input.includes('type="hidden"')) continue
    const id = /\sid="([^"]+)"/.exec(input)?.[1]
    assert.ok(answer.text.includes(`<label for="${id}">`), input)
  }
}
