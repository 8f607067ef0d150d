/** [Q15] What scripts learn of how a command went. */
export const EXIT = {
  done: 0,
  /** The task, or anything else. */
  failed: 1,
  /** Arguments, or what the service refuses as wrong. */
  usage: 2,
  /** The service: not reached, not allowed, or not now. */
  service: 3,
  /** The task waits for an answer. */
  needsInput: 4,
} as const

/** A failure that is expected: its message is one line for a person, and no stack is ever shown. */
export class Failed extends Error {
  override readonly name = 'Failed'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** What is wrong with the arguments. */
export const usageError = (message: string): Failed => new Failed(message, EXIT.usage)
