export type Doc = Record<string, unknown>

/** An error as a server words it. */
export class CommandError extends Error {
  readonly code: number
  readonly details: Doc
  constructor(code: number, message: string, details: Doc = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}
