/** How many groups are committed at a time. More of them make each smaller, and cost more round trips. */
const GROUPS_AT_ONCE = 2
const COMMITS_IN_GROUP_MAX = 64

/** Writes of one transaction by what they write: of two to one document, the last counts. */
export type Writes<Write> = ReadonlyMap<string, Write>

interface Waiting<Write> {
  readonly writes: Writes<Write>
  readonly until: number
  readonly settle: (made: Promise<unknown>) => void
}

export interface GroupCommitOptions<Write> {
  /** Makes all of them in one transaction, and gives it up at `until`, by `performance.now()`. */
  readonly commit: (writes: Writes<Write>, until: number) => Promise<unknown>
  /** Whether nothing of it was made, and others than the one that was refused may be. */
  readonly isRefused: (error: unknown) => boolean
}

/**
 * Commits of one moment become one transaction: those that come while others are under way wait for them, and go together. One
 * that is refused fails alone. No two in one group write the same document.
 */
export class GroupCommit<Write> {
  readonly #options: GroupCommitOptions<Write>
  #waiting: Waiting<Write>[] = []
  readonly #underWay = new Set<string>()
  #groups = 0
  #scheduled = false

  constructor(options: GroupCommitOptions<Write>) {
    this.#options = options
  }

  /** Resolves once it is committed. What has not been sent by `until` is not sent. */
  add(writes: Writes<Write>, until: number): Promise<void> {
    const made = new Promise<void>((resolve) => {
      this.#waiting.push({ writes, until, settle: (promise) => resolve(promise.then(() => {})) })
    })
    this.#schedule()
    return made
  }

  /** Not at once: other shards commit at the same moment. */
  #schedule(): void {
    if (this.#scheduled || this.#groups >= GROUPS_AT_ONCE || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const group = this.#next()
      // What waits writes what is under way.
      if (group.length === 0) return
      void this.#make(group)
      this.#schedule()
    })
  }

  #next(): Waiting<Write>[] {
    const group: Waiting<Write>[] = []
    const written = new Set(this.#underWay)
    const later: Waiting<Write>[] = []
    for (const each of this.#waiting) {
      const keys = [...each.writes.keys()]
      const fits = group.length < COMMITS_IN_GROUP_MAX && !keys.some((key) => written.has(key))
      // What comes after one that waits, and writes the same, waits behind it.
      for (const key of keys) written.add(key)
      if (fits) group.push(each)
      else later.push(each)
    }
    this.#waiting = later
    return group
  }

  async #make(group: readonly Waiting<Write>[]): Promise<void> {
    const { commit, isRefused } = this.#options
    const alone = ({ writes, until, settle }: Waiting<Write>) => {
      const made = commit(writes, until)
      settle(made)
      return made.catch(() => {})
    }
    const all = new Map(group.flatMap(({ writes }) => [...writes]))
    const until = Math.min(...group.map((each) => each.until))
    this.#groups++
    for (const key of all.keys()) this.#underWay.add(key)
    try {
      const made = commit(all, until)
      const error = await made.then(
        () => null,
        (reason: unknown) => ({ reason }),
      )
      if (error && group.length > 1 && isRefused(error.reason)) await Promise.all(group.map(alone))
      else for (const { settle } of group) settle(made)
    } finally {
      this.#groups--
      for (const key of all.keys()) this.#underWay.delete(key)
      this.#schedule()
    }
  }
}
