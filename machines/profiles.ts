import type { Ms } from './records.ts'

/** [Z10] What signs tasks in to sites: cookies and storage under a name. The values are kept apart, encrypted. */
export interface ProfileRecord {
  readonly id: string
  readonly workspaceId: string
  /** Unique within the workspace. */
  readonly name: string
  readonly createdAt: Ms
  /** When its values were last saved; `null`: it has none. */
  readonly savedAt: Ms | null
}

/** [Z11] How a task uses a profile. */
export interface ProfileUse {
  readonly id: string
  /** What the context holds when the task ends replaces the values of the profile. One task at a time does that. */
  readonly save: boolean
  /** [Z13] A person signs in over the live view; no model is asked. */
  readonly signIn?: true
}

/** [Z11] What a browser announces among its `tools` when it can begin and save contexts with a profile. */
export const HAS_PROFILES = 'profiles'

/** [Z14] Whether a profile signs the task in, and it cannot do that itself. */
export const hasSignIn = ({
  profile,
  secrets,
}: {
  readonly profile: ProfileUse | null
  readonly secrets: readonly unknown[]
}): boolean => profile !== null && secrets.length === 0

/** [Z14] What the input of `finish` says of it. */
export const signedOutIn = (input: unknown): { readonly signed_out?: true } =>
  (input as { signed_out?: unknown } | null)?.signed_out === true ? { signed_out: true } : {}
