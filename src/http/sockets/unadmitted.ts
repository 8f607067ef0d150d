import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import { FRAME_MEMORY_GROWTH_BYTES_MAX, FRAME_MEMORY_LOOK_EVERY_MS } from '../limits.ts'

interface Droppable {
  /** Ends the connection at once; what it has buffered is freed. */
  drop(): void
}

/** Resident memory in bytes: all that was allocated, and what of it belongs neither to JavaScript nor to a buffer. */
export interface Resident {
  readonly allocated: number
  readonly native: number
}

/** A socket that was not there at the last check: the growth before it opened is not its. */
const NEW = -1

/**
 * The sockets of uWebSockets.js that are not admitted yet. The library buffers unfinished frames and does not say how
 * much, so the process's own memory is checked while there are such sockets: one during whose time it grew too much is
 * dropped. An honest browser registers in between; one that was dropped connects again.
 *
 * Frames make both the allocated and the native memory grow, at once. What else moves either of them moves one: pages of
 * the store's mapped file are not allocated, the JavaScript heap is not native when it grows, and what the garbage
 * collector lets go of counts as native but was allocated before.
 */
export class UnadmittedSockets {
  /** By how many bytes frames may have grown while each was there. */
  readonly #sockets = new Map<Droppable, number>()
  readonly #resident: () => Resident
  #before: Resident = { allocated: 0, native: 0 }
  #timer: NodeJS.Timeout | null = null

  constructor(resident: () => Resident = residentNow) {
    this.#resident = resident
  }

  add(socket: Droppable): void {
    this.#sockets.set(socket, NEW)
    if (this.#timer !== null) return
    this.#before = this.#resident()
    this.#timer = setInterval(() => this.look(), FRAME_MEMORY_LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** It was admitted, or it closed. */
  delete(socket: Droppable): void {
    if (this.#sockets.delete(socket) && this.#sockets.size === 0) this.#stop()
  }

  look(): void {
    const now = this.#resident()
    const growth = Math.min(now.allocated - this.#before.allocated, now.native - this.#before.native)
    this.#before = now
    const fresh = [...this.#sockets].filter(([, grown]) => grown === NEW)
    let someDropped = false
    for (const [socket, before] of [...this.#sockets]) {
      if (before === NEW) continue
      const grown = Math.max(0, before + growth)
      this.#sockets.set(socket, grown)
      if (grown <= FRAME_MEMORY_GROWTH_BYTES_MAX) continue
      someDropped = true
      socket.drop()
    }
    const ofFresh = someDropped ? 0 : Math.min(Math.max(0, growth), FRAME_MEMORY_GROWTH_BYTES_MAX)
    for (const [socket] of fresh) if (this.#sockets.has(socket)) this.#sockets.set(socket, ofFresh)
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}

/** Without /proc, pages of mapped files count as allocated. */
function residentNow(): Resident {
  const { rss, external } = process.memoryUsage()
  const allocated = anonymousBytes() ?? rss
  return { allocated, native: allocated - getHeapStatistics().total_physical_size - external }
}

function anonymousBytes(): number | null {
  if (process.platform !== 'linux') return null
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}
