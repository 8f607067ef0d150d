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
