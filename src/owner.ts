import { randomBytes } from 'node:crypto'
import type { Store } from '../actors/ports.ts'

const RANDOM_BYTES = 24

/** The key with which whoever runs the service sees all of it: made once, kept in the store. */
export const ownerKey = (store: Pick<Store, 'setting'>): Promise<string> =>
  store.setting('owner_key', () => `svc_owner_${randomBytes(RANDOM_BYTES).toString('hex')}`)
