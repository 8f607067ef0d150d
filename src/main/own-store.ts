import type { Log, Secrets } from '../../actors/runtime/ports.ts'
import type { Config } from '../config/config.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import { type OpenedStore, openStore } from '../stores/open.ts'
import { codeAt } from '../wire/totp.ts'

/**
 * [D16] Opens the configured store as the service that owns it, or [M1] as one of the nodes that share it.
 * @throws StoreInUse when another process owns it
 * @throws Error as `openStore` does
 */
export const openOwnStore = (
  { mongodbUrl, natsUrl, dataDir, host, port }: Pick<Config, 'mongodbUrl' | 'natsUrl' | 'dataDir' | 'host' | 'port'>,
  log: Log,
): Promise<OpenedStore> =>
  openStore({ mongodbUrl, dataDir, log, owner: { address: urlOf(host, port), shared: natsUrl !== null } })

/** [X1] What the actors do with the secrets of tasks. */
export const secretsOf = (box: SecretBox | null): Secrets | null => box && { open: box.open, code: codeAt }

/** Where clients on this machine reach a listener, without a trailing slash. */
export function urlOf(host: string, port: number): string {
  const name = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
