import { createMachine } from 'xstate'
import type { ResponseStream } from '../../../src/net/transport.ts'

/** An actor that hops to and fro. */
export const hopper = createMachine({
  initial: 'a',
  states: { a: { on: { hop: 'b' } }, b: { on: { hop: 'a' } } },
  on: { stay: {} },
})

/** A reader who reads as quickly as the test says. */
export function reader() {
  let room = true
  const drains: (() => void)[] = []
  const closes: (() => void)[] = []
  const written: string[] = []
  const stream: ResponseStream = {
    write(text) {
      written.push(text)
      return room
    },
    onDrain: (listener) => void drains.push(listener),
    onClose: (listener) => void closes.push(listener),
    end() {
      for (const close of closes.splice(0)) close()
    },
    destroy: () => stream.end(),
  }
  const events = () =>
    written.map((text) => ({
      event: /event: (\w+)/.exec(text)?.[1],
      data: JSON.parse(/data: (.*)/.exec(text)?.[1] ?? 'null'),
    }))
  return {
    stream,
    written,
    events,
    slow: () => (room = false),
    quick() {
      room = true
      for (const drain of drains) drain()
    },
    ended: () => closes.length === 0,
  }
}
