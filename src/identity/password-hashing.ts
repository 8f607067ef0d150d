import PQueue from 'p-queue'

/** Passwords that may wait to be hashed. */
const HASHES_WAITING_MAX = 20

const hashing = new PQueue({ concurrency: 1 })

/**
 * [A26] Passwords are hashed one after the other: hashing runs on the threads that the store writes with, and a crowd
 * that signs in would stall every task. Who comes when too many wait gets the error of `tooMany`.
 */
export function oneAtATime<T>(work: () => Promise<T>, tooMany: () => Error): Promise<T> {
  if (hashing.size >= HASHES_WAITING_MAX) throw tooMany()
  return hashing.add(work)
}
