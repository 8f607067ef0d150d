import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../actors/runtime/ports.ts'
import { reasonOf, StoreInUse } from '../errors.ts'
import { inUse, type Owner } from '../owner.ts'
import { type Collection, insertOnce } from './client.ts'
import { LEASE_LOOK_EVERY_MS, LEASE_MS, LEASE_RENEW_EVERY_MS } from './limits.ts'

/** A process as another one on the same machine finds it again. */
interface Process {
  readonly pid: number
  /** The machine since it was booted, and the process ids that are seen there (a container has its own); `null` when unknown. */
  readonly machine: string | null
  /** When the process began, in the machine's ticks: a process id is given to another process some day. */
  readonly startedAt: string | null
}

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
  holder: Holder | null
  /** By the database's clock. */
  renewedAt: Date
}

/** The lease of the whole store: of the one process that owns all, or of all nodes together. */
const STORE = 'store'
/** Who holds it while several nodes share the store. Those of 0.3.0 and earlier know no fences, and are "several nodes". */
const SEVERAL = 'several nodes with fences'

/** The ownership of a store: a document that is taken by compare-and-set, and renewed while the process lives. */
export interface Lease {
  /** Raised by each owner. */
  readonly epoch: number
  /** Renews it now: a write that a majority has to acknowledge. Never rejects: false when it failed. */
  renew(): Promise<boolean>
  onLost(listener: (reason: string) => void): void
  isLost(): boolean
  /** It is seen that another process owns the store. */
  lost(): void
  /** Renews it no more. */
  forgo(): void
  /** The next may have it at once. */
  release(): Promise<void>
}

/** The lease that all nodes hold together. */
export interface SharedLease {
  /** False: one process has taken the whole store. */
  isShared(): Promise<boolean>
}

/**
 * Takes the lease when it is free: never taken, released, not renewed for LEASE_MS, or of a process that is known to be
 * dead. Waits for that while the holder does not renew it.
 * @param store how it is named to people: `MongoDB at db.example:27017`
 * @param nodeLives whether one of several nodes has renewed itself lately: they hold the lease as long as one does
 * @throws StoreInUse as soon as the holder is seen to live
 */
export async function takeLease(
  leases: Collection<LeaseDoc>,
  store: string,
  owner: Owner,
  nodeLives: () => Promise<boolean>,
  log?: Log,
): Promise<Lease> {
  const holder: Holder = { ...thisProcess(), id: randomUUID(), address: owner.address }
  await insertOnce(leases, { _id: STORE, epoch: 0, holder: null, renewedAt: new Date(0) })
  let seen = null as LeaseDoc | null
  for (;;) {
    const late = { $expr: { $lt: ['$renewedAt', { $subtract: ['$$NOW', LEASE_MS] }] } }
    const free: object[] = [{ ...late, 'holder.id': { $ne: SEVERAL } }]
    const several = seen?.holder?.id === SEVERAL
    if (seen?.holder && several && (await nodeLives())) throw new StoreInUse(inUse(store, seen.holder))
    const dead = seen?.holder && (several || isAlive(seen.holder) === false)
    if (dead) free.push({ epoch: seen?.epoch, 'holder.id': seen?.holder?.id })
    const taken = await leases.findOneAndUpdate(
      { _id: STORE, $or: free } as never,
      { $inc: { epoch: 1 }, $set: { holder }, $currentDate: { renewedAt: true } },
      { returnDocument: 'after' },
    )
    if (taken) return leaseOf(leases, taken, holder, store, log)
    const now = await leases.findOne({ _id: STORE })
    if (now?.holder?.id === SEVERAL) {
      seen = now
      continue
    }
    const alive = now?.holder ? isAlive(now.holder) : null
    const renewed = now && seen && now.renewedAt > seen.renewedAt
    if (now?.holder && (alive === true || renewed)) throw new StoreInUse(inUse(store, now.holder))
    if (!seen && alive === null) log?.info({ pid: now?.holder?.pid }, 'Another process had the store a moment ago.')
    seen = now
    if (alive !== false) await pause(LEASE_LOOK_EVERY_MS)
  }
}

/**
 * Several nodes share the store: the first one takes it from its former owner, has `prepare` make it ready, and gives it to
 * all; the others join.
 * @throws StoreInUse while one process owns all
 */
export async function shareLease(
  leases: Collection<LeaseDoc>,
  store: string,
  owner: Owner,
  nodeLives: () => Promise<boolean>,
  prepare: (lease: Lease) => Promise<void>,
  log?: Log,
): Promise<SharedLease> {
  const isShared = async () => (await leases.findOne({ _id: STORE }))?.holder?.id === SEVERAL
  while (!(await isShared())) {
    const lease = await takeLease(leases, store, owner, nodeLives, log).catch(async (error: unknown) => {
      // Another node may be making it ready.
      if (error instanceof StoreInUse && (await becomes(leases, SEVERAL))) return null
      throw error
    })
    if (!lease) continue
    try {
      await prepare(lease)
    } catch (error) {
      await lease.release()
      throw error
    }
    const holder: Holder = { pid: 0, machine: null, startedAt: null, id: SEVERAL, address: owner.address }
    await leases.updateOne({ _id: STORE, epoch: lease.epoch }, { $set: { holder }, $currentDate: { renewedAt: true } })
    lease.forgo()
  }
  return { isShared }
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
  { epoch }: LeaseDoc,
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
    epoch,
    renew,
    onLost: (listener) => void (reason === null ? listeners.push(listener) : listener(reason)),
    isLost: () => reason !== null,
    lost: () => void lost(),
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

function thisProcess(): Process {
  const { pid } = process
  return { pid, machine: machineOf(), startedAt: startOf(pid) }
}

/** Whether the process lives; `null` when that cannot be seen from here: another machine, another container, no /proc. */
function isAlive({ pid, machine, startedAt }: Process): boolean | null {
  if (machine === null || startedAt === null || machine !== machineOf()) return null
  return startOf(pid) === startedAt
}

function machineOf(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** `null` if there is no such process, or it is a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    return state === 'Z' || state === 'X' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
