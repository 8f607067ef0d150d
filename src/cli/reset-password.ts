import type { Store } from '../../actors/runtime/ports.ts'
import { createResetLink } from '../identity/reset-link.ts'
import { noteByOperator } from './audit.ts'
import { Failed } from './exit-codes.ts'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** [A31] Prints a link by which the user with this address sets a new password: for services that send no e-mail. */
export async function resetPasswordCommand(email: string, options: { json?: boolean }): Promise<void> {
  const link = await withStore(async (store, { publicUrl, port }) => {
    const origin = publicUrl ?? `http://127.0.0.1:${port}`
    const made = await createResetLink({ tables: store.authTables, log: SILENT }, email, origin)
    if (made !== null) await note(store, made.userId)
    return made?.link ?? null
  })
  if (link === null) throw new Failed(`There is no account with the address ${JSON.stringify(email)}.`)
  if (options.json) {
    say(JSON.stringify({ email, link }))
    return
  }
  say(link)
  say('The link works once, within an hour. Give it only to the person whose account it is.')
}

/** [O11] In each workspace of the user: its owners see that somebody may come in by a link. */
async function note(store: Pick<Store, 'workspaces' | 'audit'>, userId: string): Promise<void> {
  const workspaces = await store.workspaces.ofMember(userId)
  const entry = { action: 'createResetLink', resource: userId }
  await noteByOperator(store, ...workspaces.map(({ id: workspaceId }) => ({ workspaceId, ...entry })))
}
