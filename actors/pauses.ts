/**
 * The tasks whose user has taken over: no further call of theirs leaves until they hand back. It is known only while
 * this process lives; a browser that is connected again says anew which of its tasks are paused, and holds back by
 * itself what comes before that.
 */
export class Pauses {
  readonly #paused = new Map<string, { readonly over: Promise<void>; readonly end: () => void }>()

  pause(taskId: string): void {
    if (this.#paused.has(taskId)) return
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#paused.set(taskId, { over, end })
  }

  /** The user has handed back, or the task has ended. */
  resume(taskId: string): void {
    this.#paused.get(taskId)?.end()
    this.#paused.delete(taskId)
  }

  /** Resolves when the task may act again; `null` when it may now. */
  whenOver(taskId: string): Promise<void> | null {
    return this.#paused.get(taskId)?.over ?? null
  }
}
