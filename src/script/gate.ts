/** The word, shared by a thread and whoever waits for it, that says whether it may go on. */
const GO = 0
const PAUSE = 1
/** What a thread says as it begins to stand still. */
export const PAUSED = 'paused'

export type Gate = Int32Array<SharedArrayBuffer>
export const createGate = (): Gate => new Int32Array(new SharedArrayBuffer(4))

export const closeGate = (gate: Gate): void => void Atomics.store(gate, 0, PAUSE)

export function openGate(gate: Gate): void {
  Atomics.store(gate, 0, GO)
  Atomics.notify(gate, 0)
}

/** In the thread: stands still while the gate is closed. */
export function waitAt(gate: Gate, tell: (message: typeof PAUSED) => void): void {
  if (Atomics.load(gate, 0) === GO) return
  tell(PAUSED)
  Atomics.wait(gate, 0, PAUSE)
}
