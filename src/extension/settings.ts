import { type Reach, serviceReach } from '../browser/own-service.ts'
import { ALL_SITES, type Sites } from './sites.ts'

/** What a pairing left behind. The token is the only secret of this extension; it never leaves the worker. */
export interface Pairing {
  /** The service's origin, such as `https://tasks.example.com`. */
  readonly origin: string
  readonly sessionId: string
  readonly sessionToken: string
  /** The relay's own port, where the service also answers. */
  readonly relayPort?: number | undefined
}

const PAIRING = 'pairing'
/** How many workers have begun to drive tabs: refs of an earlier one must not come again, nor after a new start of the browser. */
export const LIVES = 'lives'
const SITES = 'sites'

export async function readPairing(): Promise<Pairing | null> {
  const { [PAIRING]: kept } = await chrome.storage.local.get(PAIRING)
  return (kept as Pairing | undefined) ?? null
}
export const keepPairing = (pairing: Pairing): Promise<void> => chrome.storage.local.set({ [PAIRING]: pairing })
export const forgetPairing = (): Promise<void> => chrome.storage.local.remove([PAIRING, LIVES])

export async function readSites(): Promise<Sites> {
  const { [SITES]: kept } = await chrome.storage.local.get(SITES)
  return (kept as Sites | undefined) ?? ALL_SITES
}
export const keepSites = (sites: Sites): Promise<void> => chrome.storage.local.set({ [SITES]: sites })

/** The service that this browser is paired with, which no task may open. */
export async function readServiceReach(): Promise<Reach> {
  const pairing = await readPairing()
  return serviceReach(pairing ? [pairing.origin] : [], [pairing?.relayPort ?? null])
}

/** The relay of a service: at /relay of its own origin, so that one address is enough. */
export const relayAddress = (origin: string): string => `${origin.replace(/^http/, 'ws')}/relay`
