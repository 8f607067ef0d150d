import { setTimeout } from 'node:timers/promises'
import type { NewLogEvent } from '../../machines/task-log.ts'
import { THEN } from './stores.ts'

export const state = (name: string): NewLogEvent => ({ type: 'task.state', at: THEN, state: name })

export const ended: NewLogEvent = {
  type: 'task.ended',
  at: THEN,
  status: 'complete',
  answer: 'Bought.',
  output: null,
  success: true,
  failure: null,
  ended_by: 'completed',
  usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 },
}

/** Reads a stream of events as it comes. */
export class StreamReader {
  readonly response: Response
  /** All that has come. */
  text = ''
  over = false
  /** How long it pauses after each chunk. */
  slowMs = 0
  readonly #abort: AbortController
  #changed: (() => void)[] = []

  static async open(url: string, headers: Record<string, string>): Promise<StreamReader> {
    const abort = new AbortController()
    const accept = { accept: 'text/event-stream', ...headers }
    return new StreamReader(await fetch(url, { headers: accept, signal: abort.signal }), abort)
  }

  constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    void this.#read()
  }

  /** The events that have come: their ids, and their data. */
  get events(): { id: number; type: string; data: { seq: number; type: string; [field: string]: unknown } }[] {
    return [...this.text.matchAll(/id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/g)].map(([, id, type = '', data = '']) => ({
      id: Number(id),
      type,
      data: JSON.parse(data),
    }))
  }

  /** Resolves when the condition holds for what has come; rejects when the stream is over before. */
  async until(what: string, holds: (reader: StreamReader) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.over) throw new Error(`The stream is over before ${what}: ${this.text.slice(-500)}`)
      await new Promise<void>((resolve) => void this.#changed.push(resolve))
    }
  }

  close(): void {
    this.#abort.abort()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of this.response.body ?? []) {
        this.text += decoder.decode(chunk as Uint8Array, { stream: true })
        this.#tell()
        if (this.slowMs > 0) await setTimeout(this.slowMs)
      }
    } catch {
      // Cut off, by either side.
    }
    this.over = true
    this.#tell()
  }

  #tell(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}
