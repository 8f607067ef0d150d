import type { Log } from '../../../actors/runtime/ports.ts'
import type { Db } from './client.ts'

/** Makes documents of earlier versions those of this one. Called by the owner of the store, before anything is read. */
export async function upgradeDatabase(_db: Db, _log?: Log): Promise<void> {}
