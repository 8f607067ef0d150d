import type { Log } from '../../actors/runtime/ports.ts'
import type { Config } from '../config.ts'
import { type OpenedStore, openStore } from '../stores/open.ts'

/**
 * [D16] Opens the configured store as the service that owns it.
 * @throws StoreInUse when another process owns it
 * @throws Error as `openStore` does
 */
export const openOwnStore = (
  { mongodbUrl, dataDir, host, port }: Pick<Config, 'mongodbUrl' | 'dataDir' | 'host' | 'port'>,
  log: Log,
): Promise<OpenedStore> => openStore({ mongodbUrl, dataDir, log, owner: { address: urlOf(host, port) } })

/** Where clients on this machine reach a listener, without a trailing slash. */
export function urlOf(host: string, port: number): string {
  const name = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
