import type { Store, Write } from '../../../actors/runtime/ports.ts'
import { fileMemory } from '../../support/file-memory.ts'
import { type Owner, type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import { labelOf } from './commit-label.ts'
import type { Kept } from './kept.ts'

export type StoreMood = 'well' | 'slow' | 'failing' | 'down'

export interface DiskOptions {
  readonly kept: Kept
  readonly kind: 'file' | 'mongodb'
  readonly scheduler: Scheduler
  readonly random: Random
  /** The process dies at a write: asked before and after each is carried out. */
  readonly diesHere: () => boolean
}

/** How long a database may take for a write whose process is dead. */
const LATE_WRITE_MS_MAX = 20_000

/** A write that is under way. */
interface Pending {
  readonly owner: Owner
  readonly writes: readonly Write[] | null
  apply(count?: number): void
}

/**
 * The driver and the disk behind it. Like the embedded store it carries out writes in their order and each whole or not
 * at all; like MongoDB it carries them out in any order, may apply a part of a commit that it then refuses, and may
 * lose the word of a write that was made. A process that dies leaves behind what was under way, done or not.
 */
export class Disk {
  mood: StoreMood = 'well'
  readonly #options: DiskOptions
  #pending: Pending[] = []
  #lastDue = 0
  /** The process that took the store last. */
  #holder: Owner | null = null

  constructor(options: DiskOptions) {
    this.#options = options
  }

  /** The lock of a folder, or the lease of a database: one process has it, until it is dead. */
  take(owner: Owner): boolean {
    if (this.#holder?.alive) return false
    this.#holder = owner
    return true
  }

  /**
   * The process is dead: what of its writes is under way was done, or not. A write that comes late to a database is
   * refused there once another process has taken the store: it carries the epoch of its own.
   */
  leftBy(owner: Owner): void {
    const { kind, random, scheduler } = this.#options
    const late = (pending: Pending) => {
      if (this.#holder === owner) pending.apply()
    }
    const left = this.#pending.filter((pending) => pending.owner === owner)
    this.#pending = this.#pending.filter((pending) => pending.owner !== owner)
    const whole = random.whole(0, left.length)
    for (const [at, pending] of left.entries()) {
      if (kind === 'file' ? at < whole : random.chance(0.5)) pending.apply()
      else if (kind === 'mongodb' && random.chance(0.3))
        scheduler.after(random.between(0, LATE_WRITE_MS_MAX), THE_WORLD, 'a late write', () => late(pending))
      else if (kind === 'mongodb' && pending.writes) pending.apply(random.whole(0, pending.writes.length))
    }
  }

  /** A look that may take its time. */
  read<T>(owner: Owner, label: string, look: () => T): Promise<T> {
    const { scheduler, kind } = this.#options
    return new Promise((resolve, reject) => {
      if (this.#refuses(kind === 'mongodb')) {
        const refuse = () => reject(new Error('The store is away'))
        scheduler.after(this.#patience(), owner, `store ${label} refused`, refuse)
        return
      }
      scheduler.after(this.#latency(), owner, `store ${label}`, () => resolve(look()))
    })
  }

  write<T>(owner: Owner, label: string, change: (count?: number) => T, writes: readonly Write[] | null = null) {
    const { scheduler, kind } = this.#options
    return new Promise<T>((resolve, reject) => {
      const pending: Pending = { owner, writes, apply: (count) => void change(count) }
      this.#pending.push(pending)
      const due = scheduler.time + this.#latency()
      this.#lastDue = kind === 'file' ? Math.max(this.#lastDue, due) : due
      scheduler.after(this.#lastDue - scheduler.time, THE_WORLD, `store ${label}`, () => {
        if (owner.alive) this.#carryOut(pending, label, change, resolve, reject)
      })
    })
  }

  #carryOut<T>(
    pending: Pending,
    label: string,
    change: (count?: number) => T,
    resolve: (value: T) => void,
    reject: (error: Error) => void,
  ): void {
    const { scheduler, kind, random, diesHere } = this.#options
    if (diesHere()) return
    this.#pending = this.#pending.filter((other) => other !== pending)
    const { owner, writes } = pending
    if (this.#refuses(true)) {
      if (kind === 'mongodb' && random.chance(0.4)) pending.apply(writes ? random.whole(0, writes.length) : undefined)
      const refuse = () => reject(new Error('The store takes no writes'))
      scheduler.after(this.#patience(), owner, `store ${label} refused`, refuse)
      return
    }
    const result = change()
    if (diesHere()) return
    scheduler.after(random.between(0, 0.3), owner, `store ${label} done`, () => resolve(result))
  }

  #refuses(reached: boolean): boolean {
    if (!reached) return false
    return this.mood === 'down' || (this.mood === 'failing' && this.#options.random.chance(0.3))
  }

  #latency(): number {
    const { random, kind } = this.#options
    if (this.mood === 'slow') return random.between(50, 4_000)
    return kind === 'file' ? random.between(0.05, 1.5) : random.between(0.3, 6)
  }

  /** How long the driver tries before it gives up. */
  #patience(): number {
    const { random, kind } = this.#options
    return kind === 'file' || random.chance(0.5) ? random.between(0.05, 1) : random.between(500, 3_500)
  }

  /** Whether a look is answered at once, as the embedded store does. */
  get sync(): boolean {
    return this.#options.kind === 'file'
  }

  /** The store as one process has it open. What a dead process asks for never comes. */
  open(owner: Owner): Store {
    const { kept, kind } = this.#options
    const read = <T>(label: string, look: () => T) => this.read(owner, label, look)
    const get = async <T>(label: string, look: () => T) => (this.sync ? look() : read(label, look))
    const write = <T>(label: string, change: () => T) => this.write(owner, label, change)
    const copy = <T extends object>(record: T | undefined): T | null => (record ? { ...record } : null)
    const unused = () => {
      throw new Error('No part of the simulation')
    }
    const none = async () => []
    async function* each<T>(label: string, look: () => T[]) {
      for (const item of await read(label, look)) yield item
    }
    return {
      kind,
      ping: async () => this.mood !== 'down',
      close: async () => {},
      onLost() {},
      commit: (writes) => {
        // As it is at this moment: what the caller changes later is not written.
        const now = writes.map((write): Write => JSON.parse(JSON.stringify(write)))
        return this.write(owner, labelOf(writes), (count) => kept.commit(now, count), now)
      },
      actors: () => each('actors', () => kept.actors()),
      journal: (taskId) => read('journal', () => kept.journal(taskId)),
      audit: { append: unused, list: none, retire: () => write('retire', () => 0) },
      limits: {
        get: () => get('limits', () => ({})),
        ...{ put: unused, putOwn: unused },
        all: () => each('limits', () => []),
      },
      tasks: {
        get: (id) => get('task', () => copy(kept.tasks.get(id))),
        list: (page) => read('list', () => kept.list(page).map((record) => ({ ...record }))),
        end: (ending, event) => write(`end ${ending.taskId.slice(-4)}`, () => kept.end(ending, event)),
        running: () => each('running', () => kept.running()),
        retire: () => write('retire', () => 0),
        ...{ remove: unused, strip: unused },
      },
      steps: {
        append: (records, screenshots) => write('steps', () => kept.note(records, screenshots)),
        list: (taskId) => read('steps of', () => kept.steps(taskId)),
        screenshot: unused,
        screenshotNumbered: (taskId, number) => read('screenshot', () => kept.screenshot(taskId, number)),
      },
      events: {
        ofTask: async (...args) => read('events', () => kept.events.ofTask(...args)),
        newest: async (...args) => read('events', () => kept.events.newest(...args)),
        ofWorkspace: async (...args) => read('events', () => kept.events.ofWorkspace(...args)),
        lastPosition: async () => read('events', () => kept.events.lastPosition()),
        expired: () => read('events', () => 0),
      },
      files: fileMemory((id) => kept.tasks.has(id)),
      traces: { keep: async () => {}, get: async () => null },
      sessions: {
        insert: unused,
        get: (id) => get('session', () => copy(kept.sessions.get(id))),
        byTokenHash: (hash) =>
          get('token', () => copy([...kept.sessions.values()].find(({ tokenHash }) => tokenHash === hash))),
        list: (workspaceId) =>
          read('sessions', () => [...kept.sessions.values()].filter((record) => record.workspaceId === workspaceId)),
        update: (id, patch) => write('session', () => kept.changeSession(id, patch)),
        remove: (id) => write('session gone', () => kept.sessions.delete(id)),
        sweep: () => write('sessions', () => 0),
      },
      claims: { get: unused, insert: unused, replace: unused, sweep: () => write('claims', () => {}) },
      pairings: { insert: unused, get: unused, consume: unused, sweep: () => write('pairings', () => {}) },
      keys: { insert: unused, byHash: unused, list: none, missing: none, touch: unused, remove: unused },
      workspaces: {
        insert: unused,
        get: async () => null,
        byName: unused,
        ofMember: unused,
        update: unused,
        list: unused,
      },
      usage: {
        record: (record) => write(`usage ${record.id.slice(-4)}`, () => kept.recordUsage(record)),
        totals: unused,
        retire: () => write('usage', () => 0),
      },
      ledger: {
        get: (workspaceId, month) => get('ledger', () => kept.ledger(workspaceId, month)),
        charge: (charge) => write(`charge ${charge.taskId.slice(-4)}`, () => kept.charge(charge)),
        refund: (taskId) => write(`refund ${taskId.slice(-4)}`, () => kept.refund(taskId)),
        credit: (event) => write(`credit ${event.eventId}`, () => kept.credit(event)),
        retire: () => write('events', () => 0),
      },
      endpoints: {
        insert: unused,
        get: (id) => get('endpoint', () => copy(kept.webhooks.endpoints.get(id))),
        all: () => each('all endpoints', () => [...kept.webhooks.endpoints.values()]),
        list: (workspaceId) => read('endpoints', () => kept.webhooks.endpointsOf(workspaceId)),
        update: (id, patch) => write('endpoint', () => kept.webhooks.changeEndpoint(id, patch)),
        remove: unused,
      },
      deliveries: {
        add: (record) => write('delivery', () => kept.webhooks.addDelivery(record)),
        get: (id) => get('delivery', () => copy(kept.webhooks.deliveries.get(id))),
        update: (id, patch) => write('delivery', () => kept.webhooks.changeDelivery(id, patch)),
        list: unused,
        retire: () => write('deliveries', () => 0),
      },
      setting: async (_, propose) => propose(),
    }
  }
}
