import { StoreUnwritable } from '../errors.ts'

/**
 * The revision of a durable write: its writer's epoch, which each new owner of the store raises, then a counter. A
 * document is never replaced by a write with an older revision, however late that write arrives.
 */
export interface Revision {
  readonly epoch: number
  readonly seq: number
}

/** Under which epoch a process writes. */
export interface Fence {
  readonly epoch: number
  /** The revision of the next write. */
  next(): Revision
  /**
   * Called after writes that may have inserted documents: resolves when the epoch was still the newest one, so that
   * the process that raises it reads what was written. Rejects with `StoreUnwritable` when it was raised.
   */
  verify(): Promise<void>
  /** A document of a newer epoch was met: another process owns the store. Tells who listens, and throws `StoreUnwritable`. */
  refuse(): never
}

/** Matches documents that are older than the revision. Documents without one are from before there were any. */
export const olderThan = ({ epoch, seq }: Revision) => ({
  $or: [{ epoch: { $not: { $gte: epoch } } }, { epoch, seq: { $not: { $gte: seq } } }],
})

/** Matches documents that were not written under a newer epoch. */
export const notAfter = (epoch: number) => ({ epoch: { $not: { $gt: epoch } } })

/** Matches documents that were written under an older epoch. */
export const ofOlderEpoch = (epoch: number) => ({ epoch: { $not: { $gte: epoch } } })

/**
 * [M14] Matches tasks that a former owner has kept too late: an owner stamps what it finds with its epoch before it begins.
 * Documents without an epoch are from before there were any.
 */
export const isLate = (epoch: number) => ({ status: 'running' as const, epoch: { $lt: epoch } })

/**
 * A fence under an epoch. `isRaised` reads whether there is a newer one; `lost` is called when that is seen; once `isLost`
 * no write begins.
 */
export function fenceOf(
  epoch: number,
  { isRaised, lost, isLost }: { isRaised: () => Promise<boolean>; lost: () => void; isLost: () => boolean },
): Fence {
  let seq = 0
  const refuse = (): never => {
    lost()
    throw new StoreUnwritable('Another process owns the store.')
  }
  return {
    epoch,
    next() {
      if (isLost()) refuse()
      return { epoch, seq: ++seq }
    },
    async verify() {
      if (await isRaised()) refuse()
    },
    refuse,
  }
}
