import { createResetLink } from '../accounts/accounts.ts'
import { withStore } from './store.ts'
import { Failed, say } from './terminal.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** [A31] Prints a link by which the user with this address sets a new password: for services that send no e-mail. */
export async function resetPasswordCommand(email: string, options: { json?: boolean }): Promise<void> {
  const link = await withStore((store, { publicUrl, port }) =>
    createResetLink({ tables: store.authTables, log: SILENT }, email, publicUrl ?? `http://127.0.0.1:${port}`),
  )
  if (link === null) throw new Failed(`There is no account with the address ${JSON.stringify(email)}.`)
  if (options.json) {
    say(JSON.stringify({ email, link }))
    return
  }
  say(link)
  say('The link works once, within an hour. Give it only to the person whose account it is.')
}
