import { FRAME_MEMORY_GROWTH_BYTES_MAX, FRAME_MEMORY_LOOK_EVERY_MS } from '../limits.ts'

interface Droppable {
  /** Ends the connection at once; what it has buffered is freed. */
  drop(): void
}

/**
 * The sockets of uWebSockets.js that are not admitted yet. The library buffers unfinished frames and does not say how
 * much, so the process's own memory is watched while there are such sockets: when what is neither JavaScript's nor a
 * buffer's has grown too much, those that were there a look ago are dropped. An honest browser registers in between, and
 * one that did not comes again.
 */
export class UnadmittedSockets {
  readonly #sockets = new Map<Droppable, number>()
  readonly #nativeBytes: () => number
  #look = 0
  #least = 0
  #timer: NodeJS.Timeout | null = null

  constructor(nativeBytes: () => number = processNativeBytes) {
    this.#nativeBytes = nativeBytes
  }

  add(socket: Droppable): void {
    this.#sockets.set(socket, this.#look)
    if (this.#timer !== null) return
    this.#least = this.#nativeBytes()
    this.#timer = setInterval(() => this.look(), FRAME_MEMORY_LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** It was admitted, or it closed. */
  delete(socket: Droppable): void {
    if (this.#sockets.delete(socket) && this.#sockets.size === 0) this.#stop()
  }

  look(): void {
    const now = this.#nativeBytes()
    this.#least = Math.min(this.#least, now)
    const seen = this.#look++
    if (now - this.#least <= FRAME_MEMORY_GROWTH_BYTES_MAX) return
    for (const [socket, since] of [...this.#sockets]) if (since < seen) socket.drop()
    this.#least = this.#nativeBytes()
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}

function processNativeBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage()
  return rss - heapTotal - external
}
