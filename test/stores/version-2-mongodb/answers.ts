import type { Store } from '../../../actors/runtime/ports.ts'
import type { AuthTables } from '../../../src/stores/auth-tables.ts'
import { collected } from '../../support/stores.ts'

/** What of the store is known by name. */
export interface Known {
  readonly workspaces: readonly string[]
  /** With the workspace of each. */
  readonly tasks: Readonly<Record<string, string>>
  readonly sessions: readonly string[]
  readonly pairings: readonly string[]
  readonly claims: readonly string[]
  readonly endpoints: readonly string[]
  readonly files: readonly string[]
  /** Of the workspaces, in their order. */
  readonly shards: readonly number[]
}

/** What the older store and the rules have in common; what belongs to a task, as the older one had it. */
export type Readable = Pick<Store, 'actors' | 'tasks' | 'workspaces' | 'sessions' | 'pairings' | 'claims' | 'keys'> &
  Pick<Store, 'limits' | 'audit' | 'usage' | 'ledger' | 'endpoints' | 'deliveries' | 'files' | 'traces' | 'events'> &
  Pick<Store, 'setting'> & {
    readonly authTables: AuthTables
    journal(taskId: string): Promise<unknown>
    readonly steps: {
      list(taskId: string): Promise<unknown>
      screenshotNumbered(taskId: string, number: number): Promise<Uint8Array | null>
    }
  }
const ALL = Number.MAX_SAFE_INTEGER
const sorted = (texts: readonly unknown[]) => texts.map((each) => JSON.stringify(each)).sort()
const each = async <T>(asked: readonly string[], ask: (id: string) => Promise<T>) =>
  Object.fromEntries(await Promise.all(asked.map(async (id) => [id, await ask(id)] as const)))
const bytes = (image: Uint8Array | null) => image && Buffer.from(image).toString('base64')

/** What an owner reads of its shards, and of the whole store. */
export async function answersOf(store: Readable, owned: readonly Readable[], known: Known): Promise<unknown> {
  const inShards = async <T>(ask: (store: Readable) => AsyncIterable<T>) =>
    sorted((await Promise.all(owned.map((own) => collected(ask(own))))).flat())
  const ownerOf = (workspaceId: string) => owned[known.workspaces.indexOf(workspaceId)] as Readable
  const ofTask = async (id: string) => ({
    record: await ownerOf(known.tasks[id] ?? '').tasks.get(id),
    journal: await store.journal(id),
    steps: await store.steps.list(id),
    screenshots: await Promise.all([0, 1, 2, 3].map(async (n) => bytes(await store.steps.screenshotNumbered(id, n)))),
    events: await store.events.ofTask(id, 0, 100),
    newest: await store.events.newest(id, 2),
    transitions: await store.traces.get(id, 'transitions'),
    files: await store.files.ofTask(id),
  })
  const ofWorkspace = async (id: string) => ({
    keys: await store.keys.list(id),
    sessions: await store.sessions.list(id, null),
    tasks: await ownerOf(id).tasks.list({
      workspaceId: id,
      status: null,
      browserSessionId: null,
      after: null,
      limit: 99,
    }),
    limits: await store.limits.get(id),
    audit: await store.audit.list({ workspaceId: id, after: null, limit: 99 }),
    usage: sorted(await store.usage.totals(id, 0)),
    ledger: await store.ledger.get(id, '2026-11'),
    endpoints: await store.endpoints.list(id),
    events: await store.events.ofWorkspace(id, 0, ALL, 1_000),
    expired: await store.events.expired(id),
  })
  const answers = {
    actors: await inShards((own) => own.actors()),
    running: await inShards((own) => own.tasks.running()),
    workspaces: await store.workspaces.list(),
    lastPosition: await store.events.lastPosition(),
    ofTask: await each(Object.keys(known.tasks), ofTask),
    ofWorkspace: await each(known.workspaces, ofWorkspace),
    sessions: await each(known.sessions, (id) => store.sessions.get(id)),
    pairings: await each(known.pairings, (id) => store.pairings.get(id)),
    claims: await each(known.claims, (id) => store.claims.get(id)),
    deliveries: await each(known.endpoints, (id) =>
      store.deliveries.list({ endpointId: id, status: null, after: null, limit: 99 }),
    ),
    files: await each(known.files, async (id) => [await store.files.get(id), bytes(await store.files.read(id))]),
    users: sorted(await store.authTables.find('user', [])),
    setting: await store.setting('a secret', () => 'another'),
  }
  return JSON.parse(JSON.stringify(answers))
}
