/** The signal of a request that its client may give up. It is made when somebody asks for it: most requests are answered at once. */
export class RequestAbort {
  #controller: AbortController | null = null
  #isAborted = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }
}
