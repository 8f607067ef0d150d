import { DAY_MS, MINUTE_MS } from '../../machines/limits.ts'

/** Passwords that are checked before an account has to wait. */
export const GUESSES_FREE = 5
/** The first wait; each further password doubles it. */
export const GUESS_WAIT_MS_MIN = MINUTE_MS
export const GUESS_WAIT_MS_MAX = 15 * MINUTE_MS
/** After so long without a guess an account begins anew. */
const FORGOTTEN_AFTER_MS = DAY_MS
const KEPT_MAX = 100_000

interface Tries {
  readonly count: number
  readonly at: number
}

/**
 * [A41] Counts the passwords that were tried for an account, from wherever they came, and says when the next one is
 * checked. An address that the account was opened from counts by itself: strangers cannot keep its person out.
 */
export class Guesses {
  readonly #tries = new Map<string, Tries>()
  readonly #openedFrom = new Map<string, true>()

  /** Milliseconds to wait. 0: the guess may be checked; it is counted already, so that many at once are, too. */
  take(account: string, address: string | null, now: number): number {
    const name = this.#nameOf(account, address)
    const { count, at } = this.#recent(name, now)
    const wait = Math.max(0, at + waitAfter(count) - now)
    if (wait === 0) keep(this.#tries, name, { count: count + 1, at: now })
    return wait
  }

  /** The right password was given. */
  open(account: string, address: string | null): void {
    this.#tries.delete(this.#nameOf(account, address))
    if (address !== null) keep(this.#openedFrom, `${account} ${address}`, true)
  }

  /** A new password was set. */
  forget(account: string): void {
    this.#tries.delete(account)
  }

  #nameOf(account: string, address: string | null): string {
    const own = `${account} ${address}`
    return this.#openedFrom.has(own) ? own : account
  }

  /** A time to come, since the clock was set back, counts as now. */
  #recent(name: string, now: number): Tries {
    const { count, at } = this.#tries.get(name) ?? { count: 0, at: now }
    return now - at < FORGOTTEN_AFTER_MS ? { count, at: Math.min(at, now) } : { count: 0, at: now }
  }
}

const waitAfter = (count: number): number =>
  count < GUESSES_FREE ? 0 : Math.min(GUESS_WAIT_MS_MAX, GUESS_WAIT_MS_MIN * 2 ** (count - GUESSES_FREE))

/** At the end of the map, so that what was quiet longest comes first and goes first. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
  const [first] = map.keys()
  if (map.size > KEPT_MAX && first !== undefined) map.delete(first)
}

/** The account of who is signed in: counted apart from the guesses of strangers, who know its address at most. */
export const signedInAccount = (userId: string): string => `user ${userId}`
