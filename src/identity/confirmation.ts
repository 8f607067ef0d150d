import type { Store } from '../../actors/runtime/ports.ts'
import type { Accounts } from '../api/deps.ts'
import { hashToken, isPublishable } from './tokens.ts'

/** Who asks by a cookie for something that outlives their sign-in, and what they gave again to confirm it. */
export interface Confirming {
  readonly signedInWith: 'account' | 'key'
  readonly workspaceId: string
  /** The password, or the secret key. */
  readonly given: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * [A29] Whether this is the person who signed in, and not just somebody, or something, at their browser: by the password,
 * or, signed in with a key, by a secret key of the workspace. Who has no password has to have signed in just now.
 * `waiting`: too many wrong passwords came before, and this one was not looked at.
 */
export async function confirmationOf(
  { signedInWith, workspaceId, given, headers }: Confirming,
  { store, accounts }: { readonly store: Pick<Store, 'keys'>; readonly accounts: Pick<Accounts, 'confirm'> | null },
): Promise<'confirmed' | 'refused' | 'waiting'> {
  if (signedInWith === 'key') {
    const record = await store.keys.byHash(hashToken(given.trim()))
    return record?.workspaceId === workspaceId && !isPublishable(record) ? 'confirmed' : 'refused'
  }
  const shown = await accounts?.confirm(headers, given)
  if (shown && shown.waitMs > 0) return 'waiting'
  return shown?.isPassword || (shown?.hasPassword === false && shown.isFresh) ? 'confirmed' : 'refused'
}
