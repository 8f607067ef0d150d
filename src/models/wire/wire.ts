import type { ModelRequest } from '../../../actors/runtime/ports.ts'
import type { Generated, Hear } from '../generated.ts'
import type { Form } from './form.ts'

/** Reads a streamed reply, event by event. */
export interface StreamReader {
  /**
   * @param data one event's data
   * @returns true at the event that ends the stream
   * @throws ErrorInStream for an error of the provider, SyntaxError for an event that cannot be read.
   */
  event(data: string): boolean
  /** The reply, when the stream has ended. @throws NetworkError if it ended before the reply did. */
  end(): Generated
}

/** One model API on the wire: how a request is written and how its answers are read. */
export interface Wire {
  readonly path: string
  headers(apiKey: string | null): Readonly<Record<string, string>>
  /** The body of requests in one form. Messages and tools never change once made, so each is serialised once. */
  body(form: Form): (request: ModelRequest) => Buffer
  reader(hear: Hear): StreamReader
  /** A reply that came whole. @throws UnreadableAnswer */
  whole(json: unknown): Generated
}
