import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../actors/runtime/ports.ts'
import { reasonOf, StoreInUse, StoreUnwritable } from '../errors.ts'
import { inUse, type Owner } from '../owner.ts'
import { type Collection, insertOnce } from './client.ts'
import type { Fence } from './fence.ts'
import { LEASE_LOOK_EVERY_MS, LEASE_MS, LEASE_RENEW_EVERY_MS } from './limits.ts'
import { isAlive, type Process, thisProcess } from './process.ts'

/** Who holds a lease: one process, and how it is told from others. */
interface Holder extends Process {
  /** Made anew at each opening: a process may open a store twice. */
  readonly id: string
  readonly address: string
}

export interface LeaseDoc {
  /** What is owned: the whole store. */
  _id: string
  /** Raised by each new holder. */
  epoch: number
  /** What a holder up to here has written is all stamped with its epoch or a newer one: what is older came too late. */
  settled: number
  holder: Holder | null
  /** By the database's clock. */
  renewedAt: Date
}

/** The one lease there is: one process owns all. */
const STORE = 'store'

/** A store opened beside its owner: it writes under the epoch that it found. */
export async function besideOwner(leases: Collection<LeaseDoc>): Promise<Fence> {
  const { epoch = 0 } = (await leases.findOne({ _id: STORE })) ?? {}
  return fenceOf(leases, epoch, () => {})
}

/** The ownership of a store: a document that is taken by compare-and-set, and renewed while the process lives. */
export interface Lease extends Fence {
  /** Up to which epoch everything was stamped when the lease was taken. */
  readonly settledBefore: number
  /** Says that everything is stamped with this epoch. */
  settle(): Promise<void>
  /** Renews it now: a write that a majority has to acknowledge. Never rejects: false when it failed. */
  renew(): Promise<boolean>
  onLost(listener: (reason: string) => void): void
  /** The next may have it at once. */
  release(): Promise<void>
}

/**
 * Takes the lease when it is free: never taken, released, not renewed for LEASE_MS, or of a process that is known to be
 * dead. Waits for that while the holder does not renew it.
 * @param store how it is named to people: `MongoDB at db.example:27017`
 * @throws StoreInUse as soon as the holder is seen to live
 */
export async function takeLease(leases: Collection<LeaseDoc>, store: string, owner: Owner, log?: Log): Promise<Lease> {
  const holder: Holder = { ...thisProcess(), id: randomUUID(), address: owner.address }
  await insertOnce(leases, { _id: STORE, epoch: 0, settled: 0, holder: null, renewedAt: new Date(0) })
  let seen: LeaseDoc | null = null
  for (;;) {
    const free: object[] = [{ $expr: { $lt: ['$renewedAt', { $subtract: ['$$NOW', LEASE_MS] }] } }]
    const dead = seen?.holder && isAlive(seen.holder) === false
    if (dead) free.push({ epoch: seen?.epoch, 'holder.id': seen?.holder?.id })
    const taken = await leases.findOneAndUpdate(
      { _id: STORE, $or: free } as never,
      { $inc: { epoch: 1 }, $set: { holder }, $currentDate: { renewedAt: true } },
      { returnDocument: 'after' },
    )
    if (taken) return leaseOf(leases, taken, holder, store, log)
    const now = await leases.findOne({ _id: STORE })
    const alive = now?.holder ? isAlive(now.holder) : null
    const renewed = now && seen && now.renewedAt > seen.renewedAt
    if (now?.holder && (alive === true || renewed)) throw new StoreInUse(inUse(store, now.holder))
    if (!seen && alive === null) log?.info({ pid: now?.holder?.pid }, 'Another process had the store a moment ago.')
    seen = now
    if (alive !== false) await pause(LEASE_LOOK_EVERY_MS)
  }
}

function leaseOf(
  leases: Collection<LeaseDoc>,
  { epoch, settled }: LeaseDoc,
  { id }: Holder,
  store: string,
  log: Log | undefined,
): Lease {
  const own = { _id: STORE, epoch, 'holder.id': id } as never
  const listeners: ((reason: string) => void)[] = []
  let reason: string | null = null
  let renewing: Promise<boolean> | null = null
  let released = false

  async function lost(): Promise<void> {
    if (reason !== null || released) return
    reason = `${store} was taken over by another process`
    const holder = await leases.findOne({ _id: STORE }).then(
      (now) => now?.holder ?? null,
      () => null,
    )
    reason = inUse(store, holder)
    for (const listener of listeners) listener(reason)
  }
  const fence = fenceOf(
    leases,
    epoch,
    () => void lost(),
    () => reason !== null,
  )

  async function renewOnce(): Promise<boolean> {
    try {
      const { matchedCount } = await leases.updateOne(own, { $currentDate: { renewedAt: true } })
      if (matchedCount === 0) void lost()
      return matchedCount > 0
    } catch (error) {
      log?.debug({ err: reasonOf(error) }, 'The lease of the store could not be renewed.')
      return false
    }
  }
  /** Many may ask at once. */
  const renew = () => {
    renewing ??= renewOnce().finally(() => {
      renewing = null
    })
    return renewing
  }
  const timer = setInterval(() => void renew(), LEASE_RENEW_EVERY_MS).unref()

  return {
    ...fence,
    settledBefore: settled,
    async settle() {
      await leases.updateOne(own, { $set: { settled: epoch } })
    },
    renew,
    onLost: (listener) => void (reason === null ? listeners.push(listener) : listener(reason)),
    async release() {
      released = true
      clearInterval(timer)
      await leases.updateOne(own, { $set: { holder: null, renewedAt: new Date(0) } }).catch(() => {})
    },
  }
}

function fenceOf(leases: Collection<LeaseDoc>, epoch: number, lost: () => void, isLost = () => false): Fence {
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
      const newer = await leases.findOne({ _id: STORE, epoch: { $gt: epoch } })
      if (newer) refuse()
    },
    refuse,
  }
}
