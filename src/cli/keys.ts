import { randomUUID } from 'node:crypto'
import type { KeyRecord, WorkspaceRecord } from '../../machines/records.ts'
import { systemClock } from '../config/clock.ts'
import { makeKey } from '../identity/keys.ts'
import { workspaceNamed } from '../identity/operator-workspaces.ts'
import { KEY_NAME_CHARS_MAX } from '../wire/limits.ts'
import { noteByOperator } from './audit.ts'
import { Failed, usageError } from './exit-codes.ts'
import { withStore } from './store.ts'
import { bold, pairs, say, table } from './terminal.ts'

/** [Q2] Makes a key, and its workspace when there is none. */
export async function createKey(options: {
  workspace: string
  name: string
  type: string
  json?: boolean
  plain?: boolean
}): Promise<void> {
  const { type, json = false, plain = false } = options
  const workspaceName = named('--workspace', options.workspace)
  const name = named('--name', options.name)
  if (type !== 'secret' && type !== 'publishable') {
    throw usageError(`--type ${JSON.stringify(type)} is not valid: expected secret or publishable`)
  }
  const made = await withStore(async (store) => {
    const { id: workspaceId } = await workspaceNamed(store, workspaceName, systemClock, { uuid: randomUUID })
    const made = await makeKey(store, { workspaceId, name, type }, systemClock, { uuid: randomUUID })
    const details = { name, type }
    await noteByOperator(store, { workspaceId, action: 'createApiKey', resource: made.record.id, details })
    return made
  })
  const { key, record } = made
  const { id, workspaceId, createdAt } = record
  if (plain) {
    say(key)
    return
  }
  if (json) {
    say(JSON.stringify({ id, key, name, type, workspace_id: workspaceId, created_at: createdAt }))
    return
  }
  say(`A ${type} key for workspace ${JSON.stringify(workspaceName)}. It is shown only once:`)
  say(`  ${bold(key)}`)
  say()
  say(pairs([['id', id]]))
}

/** [Q3] Lists the keys of one workspace, or of all. */
export async function listKeys(options: { workspace?: string; json?: boolean }): Promise<void> {
  const found = await withStore(async (store) => {
    const all = await store.workspaces.list()
    const { workspace } = options
    const wanted = workspace === undefined ? all : all.filter(({ name }) => name === workspace)
    if (workspace !== undefined && wanted.length === 0)
      throw new Failed(`Unknown workspace ${JSON.stringify(workspace)}.`)
    const lists = await Promise.all(
      wanted.map(async (of) => (await store.keys.list(of.id)).map((key) => ({ key, workspace: of }))),
    )
    return lists.flat()
  })
  if (options.json) say(JSON.stringify({ api_keys: found.map(shape) }))
  else if (found.length === 0) say('No keys. Create one: npx browser-task-service keys create --workspace default')
  else say(table(['ID', 'WORKSPACE', 'NAME', 'TYPE', 'BEGINS WITH', 'CREATED', 'LAST USED'], found.map(row)))
}

/** [Q3] Revokes a key of whatever workspace. */
export async function revokeKey(id: string, options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    for (const workspace of await store.workspaces.list()) {
      if (!(await store.keys.remove(workspace.id, id))) continue
      await noteByOperator(store, { workspaceId: workspace.id, action: 'deleteApiKey', resource: id })
      return
    }
    throw new Failed(`Unknown key id ${JSON.stringify(id)}.`)
  })
  say(options.json ? JSON.stringify({ id, deleted: true }) : `The key ${id} is revoked.`)
}

function named(option: string, value: string): string {
  const name = value.trim()
  if (name === '' || name.length > KEY_NAME_CHARS_MAX) {
    throw usageError(`${option} is not valid: expected 1 to ${KEY_NAME_CHARS_MAX} characters`)
  }
  return name
}

interface Listed {
  readonly key: KeyRecord
  readonly workspace: WorkspaceRecord
}

const shape = ({ key, workspace }: Listed) => ({
  id: key.id,
  name: key.name,
  type: key.type,
  key_prefix: key.keyPrefix,
  workspace_id: workspace.id,
  workspace: workspace.name,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
})

const dayOf = (at: number | null): string =>
  at === null ? 'never' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
const row = ({ key, workspace }: Listed): string[] => [
  key.id,
  workspace.name,
  key.name,
  key.type,
  `${key.keyPrefix}…`,
  dayOf(key.createdAt),
  dayOf(key.lastUsedAt),
]
