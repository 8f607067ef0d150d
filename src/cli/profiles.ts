import { clientOf, type ServiceOptions } from './client.ts'
import { invocation } from './invocation.ts'
import { bold, say } from './terminal.ts'

/** [Z10] */
export async function createProfile(name: string, options: ServiceOptions): Promise<void> {
  const { id } = await clientOf(options).profiles.create(name)
  say(`Profile ${bold(name)} (${id}). Sign in: ${invocation.command} profiles sign-in ${name} <url>`)
}

/** [Z10] */
export async function listProfiles(options: ServiceOptions): Promise<void> {
  for (const { name, saved_at: savedAt } of await clientOf(options).profiles.list())
    say(`${name}  ${savedAt === null ? 'never saved' : `saved ${new Date(savedAt).toISOString()}`}`)
}

/** [Z10] */
export async function deleteProfile(name: string, options: ServiceOptions): Promise<void> {
  await clientOf(options).profiles.delete(name)
  say('Deleted.')
}

/** [Z13] Opens the page in a browser of a pool, for a person who signs in over the live view. */
export async function signIn(
  name: string,
  url: string,
  { pool, ...options }: ServiceOptions & { readonly pool?: string },
): Promise<void> {
  const client = clientOf(options)
  const { id } = await client.profiles.signIn(name, { url, ...(pool === undefined ? {} : { pool }) })
  say(`Task ${bold(id)} waits for a person who signs in over its live view.`)
}
