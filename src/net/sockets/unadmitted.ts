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

/**
 * The sockets of uWebSockets.js that are not admitted yet. The library buffers unfinished frames and does not say how
 * much. How many such sockets there are is limited elsewhere; here the process's own memory is checked while there are any. When it
 * has grown by more than anything but frames explains, the newer half of them is dropped: browsers register within
 * milliseconds, so those who came before the growth and are still there are the last to go.
 *
 * Frames make both the allocated and the native memory grow, at once. What else moves either of them moves one: pages of
 * the store's mapped file are not allocated, the JavaScript heap is not native when it grows, and what the garbage
 * collector lets go of counts as native but was allocated before. What moves both, such as buffers of native libraries, is less
 * than FRAME_MEMORY_GROWTH_BYTES_MAX.
 */
export class UnadmittedSockets {
  /** The oldest first. */
  readonly #sockets = new Set<Droppable>()
  readonly #resident: () => Resident
  #before: Resident = { allocated: 0, native: 0 }
  #grownBytes = 0
  #timer: NodeJS.Timeout | null = null

  constructor(resident: () => Resident = residentNow) {
    this.#resident = resident
  }

  add(socket: Droppable): void {
    this.#sockets.add(socket)
    if (this.#timer !== null) return
    this.#before = this.#resident()
    this.#grownBytes = 0
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
    // What was let go of is no allowance for what comes.
    this.#grownBytes = Math.max(0, this.#grownBytes + growth)
    if (this.#grownBytes <= FRAME_MEMORY_GROWTH_BYTES_MAX) return
    this.#grownBytes = 0
    const newerHalf = [...this.#sockets].slice(Math.floor(this.#sockets.size / 2))
    for (const socket of newerHalf) socket.drop()
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
