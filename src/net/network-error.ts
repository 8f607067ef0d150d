/** The exchange did not come to an end: no connection, cut off, too slow, too long. `code` is the system's or undici's name for it. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly reason: string
  constructor(cause: unknown) {
    super('the exchange was not completed', { cause })
    // Not named `code`: who wraps errors by their code must leave this one alone.
    this.reason = reasonOf(cause)
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  // Several addresses were tried: the first failure is reported.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}
