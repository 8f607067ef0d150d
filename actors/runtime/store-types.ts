import type { AuditPage, AuditRecord } from '../../machines/audit-records.ts'
import type { ProfileRecord } from '../../machines/profiles.ts'
import type { RecipeRecord } from '../../machines/recipe.ts'
import type { ClaimRecord, EndedBy, Ms, TaskStatus, WorkspaceRecord } from '../../machines/records.ts'
import type { AllLimits, SetLimits } from '../../machines/workspace-limits.ts'

/**
 * What every call of a store rejects with that it cannot reach, or that keeps nothing now. The message says why, in one
 * sentence.
 */
export class StoreUnwritable extends Error {
  override readonly name = 'StoreUnwritable'
}

export interface TaskPage {
  readonly workspaceId: string
  readonly status: TaskStatus | null
  readonly browserSessionId: string | null
  /** The last record of the previous page: what follows is older, or as old with a smaller id. */
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
  readonly filter?: TaskFilter
}

/** Further conditions; all that are given must hold. */
export interface TaskFilter {
  readonly endedBy?: EndedBy | undefined
  /** Created later than this, and earlier than that. */
  readonly createdAfter?: Ms | undefined
  readonly createdBefore?: Ms | undefined
  /** Metadata keys with the values that they must have. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** The task or its answer contains it; upper and lower case are the same. */
  readonly text?: string | undefined
}

/** [O9] The limits that operators have set for workspaces. */
export interface LimitStore {
  /** Empty: none are set. */
  get(workspaceId: string): Promise<SetLimits>
  /** Replaces the limits that the operator has set; the owners' own stay unless some are given. */
  put(workspaceId: string, limits: SetLimits): Promise<void>
  /** Replaces the owners' own limits. */
  putOwn(workspaceId: string, own: Partial<AllLimits>): Promise<void>
  /** The limits of every workspace that has any. */
  all(): AsyncIterable<{ readonly workspaceId: string; readonly limits: SetLimits }>
}

/** [O11] The audit log. */
export interface AuditStore {
  /** Once for each id, so that a batch may be written again. */
  append(records: readonly AuditRecord[]): Promise<void>
  /** Newest first (at, then id, descending). */
  list(page: AuditPage): Promise<AuditRecord[]>
  /** Removes records of before `before`, of one workspace or of all, at most `limit`; resolves to how many. */
  retire(before: Ms, limit: number, workspaceId?: string): Promise<number>
}

/** What is kept of requests with an Idempotency-Key. */
export interface Claims {
  get(id: string): Promise<ClaimRecord | null>
  /** Of any number of callers exactly one inserts; false for the others. */
  insert(claim: ClaimRecord): Promise<boolean>
  /** Replaces the claim if `holder` still holds it, or removes it (`null`); false when another holds it. */
  replace(id: string, holder: string, next: ClaimRecord | null): Promise<boolean>
  /** Forgets those that expired before `now`. */
  sweep(now: Ms): Promise<void>
}

/** [J5] Recipes. */
export interface RecipeStore {
  get(id: string): Promise<RecipeRecord | null>
  /** That of a template in a workspace. */
  ofTemplate(workspaceId: string, templateHash: string): Promise<RecipeRecord | null>
  /** Newest first (createdAt, then id, descending). */
  list(page: RecipePage): Promise<RecipeRecord[]>
  /**
   * Replaces what is kept of a template by what `decide` makes of it, `null` where nothing is: nobody changes it meanwhile, so
   * `decide` may be asked again. It must not throw; what gives `null` changes nothing. Resolves to what is kept then.
   */
  change(
    workspaceId: string,
    templateHash: string,
    decide: (now: RecipeRecord | null) => RecipeRecord | null,
  ): Promise<RecipeRecord | null>
  /** Removes a recipe of this workspace; false if there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
}
/** [Z10] Profiles. Their values are kept apart from their records, encrypted. */
export interface ProfileStore {
  get(id: string): Promise<ProfileRecord | null>
  byName(workspaceId: string, name: string): Promise<ProfileRecord | null>
  /** Newest first. */
  list(workspaceId: string): Promise<ProfileRecord[]>
  /** False when the workspace has one of this name. */
  insert(record: ProfileRecord): Promise<boolean>
  /** Removes a profile of this workspace with its values; false if there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
  /** `null`: nothing was saved yet. */
  values(id: string): Promise<string | null>
  /** Replaces the values; false if there is no such profile any more. */
  save(id: string, sealed: string, at: Ms): Promise<boolean>
}
export interface RecipePage {
  readonly workspaceId: string
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
}

/** Workspaces with their members. */
export interface WorkspaceStore {
  /** Inserts unless the id exists; resolves to the record that is kept. */
  insert(record: WorkspaceRecord): Promise<WorkspaceRecord>
  get(id: string): Promise<WorkspaceRecord | null>
  byName(name: string): Promise<WorkspaceRecord | null>
  ofMember(userId: string): Promise<WorkspaceRecord[]>
  /**
   * Replaces a record by what `decide` makes of it: nobody changes it meanwhile, so `decide` may be asked again. `null`
   * when there is no such workspace, or `decide` gives `null`. It must not throw.
   */
  update(id: string, decide: (now: WorkspaceRecord) => WorkspaceRecord | null): Promise<WorkspaceRecord | null>
  list(): Promise<WorkspaceRecord[]>
}
