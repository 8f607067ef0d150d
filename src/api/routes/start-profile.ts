import type { Store } from '../../../actors/runtime/ports.ts'
import type { ProfileRecord, ProfileUse } from '../../../machines/profiles.ts'
import type { BrowserRequest } from '../../../machines/records.ts'
import { isUuid } from '../../../machines/uuid.ts'
import type { CreateTask } from '../../wire/task-request.ts'

type Profiles = Pick<Store, 'profiles'>

/** A profile of a workspace, by its id or its name. */
export async function profileIn(
  { profiles }: Profiles,
  workspaceId: string,
  given: string,
): Promise<ProfileRecord | null> {
  const byId = isUuid(given) ? await profiles.get(given) : null
  return byId?.workspaceId === workspaceId ? byId : profiles.byName(workspaceId, given)
}

/**
 * [Z11] The profile that a start uses; `null`: none. `body`: what it says of its browser; without that it is the one of the
 * earlier request, which may have been deleted since.
 */
export async function profileUse(
  store: Profiles,
  workspaceId: string,
  body: CreateTask['browser'],
  earlier: BrowserRequest | null | undefined,
): Promise<ProfileUse | 'profile_not_found' | 'browser_invalid' | null> {
  if (body === null) {
    const { profile } = earlier ?? {}
    return profile === undefined || (await store.profiles.get(profile.id)) ? (profile ?? null) : 'profile_not_found'
  }
  const { pool, profile, save } = body
  if (profile === null) return save === null ? null : 'browser_invalid'
  if (pool === null) return 'browser_invalid'
  const record = await profileIn(store, workspaceId, profile)
  return record ? { id: record.id, save: save ?? true } : 'profile_not_found'
}
