import type { Collection } from './collection.ts'
import { CommandError, type Doc } from './doc.ts'

/** What a transaction sees otherwise than the documents that are there; `null`: there is none of that id. */
export class Overlay {
  /** What it has written. */
  readonly own = new Map<string, Doc | null>()
  /** What others have written since it began, as it was then. */
  readonly old = new Map<string, Doc | null>()
  /** The unique keys of its own documents, and which of them has each. */
  readonly keys = new Map<string, string>()

  /** `undefined`: it sees what is there. */
  get(id: string): Doc | null | undefined {
    return this.own.get(id) ?? (this.own.has(id) ? null : this.old.get(id))
  }
  ids(): Set<string> {
    return new Set([...this.own.keys(), ...this.old.keys()])
  }
}

/** Writes that happen together, and what they are based on: the state at its start. */
export class Transaction {
  readonly began: number
  readonly #overlays = new Map<Collection, Overlay>()
  constructor(began: number) {
    this.began = began
  }

  at(collection: Collection): Overlay {
    const overlay = this.#overlays.get(collection) ?? new Overlay()
    this.#overlays.set(collection, overlay)
    return overlay
  }

  commit(): void {
    for (const [collection, { own }] of this.#overlays) collection.apply(own, this)
  }
}

/** Another transaction has written it, or is about to. */
export const writeConflict = () =>
  new CommandError(112, 'Write conflict during plan execution and yielding is disabled.', { codeName: 'WriteConflict' })
export const isConflict = (error: unknown) => error instanceof CommandError && error.code === 112
