import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../actors/runtime/ports.ts'
import { reasonOf, StoreInUse } from '../errors.ts'
import { inUse, type Owner } from '../owner.ts'
import { type Collection, insertOnce } from './client.ts'
import type { Collections, ShardDoc } from './collections.ts'
import { type Fence, fenceOf } from './fence.ts'
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

/** The lease of the whole store: of the one process that owns all, or of all nodes together. */
const STORE = 'store'
/** Who holds it while several nodes share the store, each with leases of its own shards. */
const SEVERAL = 'several nodes'

/** A store opened beside its owner: it writes under the epoch that it found. */
export async function besideOwner(leases: Collection<LeaseDoc>): Promise<Fence> {
  const { epoch = 0 } = (await leases.findOne({ _id: STORE })) ?? {}
  return fenceOf(epoch, { isRaised: () => isRaised(leases, epoch), lost: () => {}, isLost: () => false })
}

const isRaised = async (leases: Collection<LeaseDoc>, epoch: number) =>
  (await leases.findOne({ _id: STORE, epoch: { $gt: epoch } })) !== null

/** The ownership of a store: a document that is taken by compare-and-set, and renewed while the process lives. */
export interface Lease extends Fence {
  /** Up to which epoch everything was stamped when the lease was taken. */
  readonly settledBefore: number
  /** Says that everything is stamped with this epoch. */
  settle(): Promise<void>
  /** Renews it now: a write that a majority has to acknowledge. Never rejects: false when it failed. */
  renew(): Promise<boolean>
  onLost(listener: (reason: string) => void): void
  /** Renews it no more. */
  forgo(): void
  /** The next may have it at once. */
  release(): Promise<void>
}

/**
 * Takes the lease when it is free: never taken, released, not renewed for LEASE_MS, or of a process that is known to be
 * dead. Waits for that while the holder does not renew it.
 * @param store how it is named to people: `MongoDB at db.example:27017`
 * @throws StoreInUse as soon as the holder is seen to live
 */
export async function takeLease(
  { leases, shards }: Pick<Collections, 'leases' | 'shards'>,
  store: string,
  owner: Owner,
  log?: Log,
): Promise<Lease> {
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
    if (taken) return leaseOf(leases, await aboveShards(leases, shards, taken), holder, store, log)
    const now = await leases.findOne({ _id: STORE })
    const alive = now?.holder ? isAlive(now.holder) : null
    const renewed = now && seen && now.renewedAt > seen.renewedAt
    if (now?.holder && (alive === true || renewed)) throw new StoreInUse(inUse(store, now.holder))
    if (!seen && alive === null) log?.info({ pid: now?.holder?.pid }, 'Another process had the store a moment ago.')
    seen = now
    if (alive !== false) await pause(LEASE_LOOK_EVERY_MS)
  }
}

/** Raises the epoch above those of all shards, and the shards' to it: what nodes before this one still write is refused. */
async function aboveShards(
  leases: Collection<LeaseDoc>,
  shards: Collection<ShardDoc>,
  taken: LeaseDoc,
): Promise<LeaseDoc> {
  const [newest] = await shards.find().sort({ epoch: -1 }).limit(1).toArray()
  if (!newest) return taken
  const epoch = Math.max(taken.epoch, newest.epoch + 1)
  await leases.updateOne({ _id: STORE, epoch: taken.epoch }, { $set: { epoch } })
  await shards.updateMany({ epoch: { $lt: epoch } }, { $set: { epoch, node: null } })
  return { ...taken, epoch }
}

/**
 * Several nodes share the store: the first one takes it from its former owner, has `prepare` make it ready, and gives it to
 * all; the others join. `renew` keeps it from one process that would own all; false: such a process has it.
 * @throws StoreInUse while one process owns all
 */
export async function shareLease(
  all: Pick<Collections, 'leases' | 'shards'>,
  store: string,
  owner: Owner,
  prepare: () => Promise<void>,
  log?: Log,
): Promise<{ epoch: number; renew: () => Promise<boolean>; release: () => Promise<void> }> {
  const { leases } = all
  const several = { _id: STORE, 'holder.id': SEVERAL } as never
  const renew = async () => (await leases.updateOne(several, { $currentDate: { renewedAt: true } })).matchedCount > 0
  while (!(await renew())) {
    const lease = await takeLease(all, store, owner, log).catch(async (error: unknown) => {
      // Another node may be making it ready.
      if (error instanceof StoreInUse && (await becomes(leases, SEVERAL))) return null
      throw error
    })
    if (!lease) continue
    await prepare()
    const holder: Holder = { pid: 0, machine: null, startedAt: null, id: SEVERAL, address: owner.address }
    await leases.updateOne({ _id: STORE, epoch: lease.epoch }, { $set: { holder }, $currentDate: { renewedAt: true } })
    lease.forgo()
  }
  const { epoch = 0 } = (await leases.findOne({ _id: STORE })) ?? {}
  return {
    epoch,
    renew,
    release: async () => void (await leases.updateOne(several, { $set: { holder: null, renewedAt: new Date(0) } })),
  }
}

/** Whether the holder becomes that one soon. */
async function becomes(leases: Collection<LeaseDoc>, id: string): Promise<boolean> {
  for (let waited = 0; waited < LEASE_MS / 2; waited += LEASE_LOOK_EVERY_MS) {
    if ((await leases.findOne({ _id: STORE }))?.holder?.id === id) return true
    await pause(LEASE_LOOK_EVERY_MS)
  }
  return false
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
  const fence = fenceOf(epoch, {
    isRaised: () => isRaised(leases, epoch),
    lost: () => void lost(),
    isLost: () => reason !== null,
  })

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
    forgo() {
      released = true
      clearInterval(timer)
    },
    async release() {
      released = true
      clearInterval(timer)
      await leases.updateOne(own, { $set: { holder: null, renewedAt: new Date(0) } }).catch(() => {})
    },
  }
}
