import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PIPELINED_REQUESTS_MAX } from '../limits.ts'

/** Requests of each connection that wait for the answer before theirs; an entry means that one is being answered. */
const waiting = new WeakMap<Socket, (() => void)[]>()

/**
 * [E17] Carries out one request of a connection at a time. node:http hands over all that are in the bytes that it read,
 * and would keep their answers until the client reads them.
 */
export function inTurn({ socket }: IncomingMessage, res: ServerResponse, carryOut: () => void): void {
  if (socket.destroyed) return
  res.once('close', () => next(socket))
  const queue = waiting.get(socket)
  if (queue === undefined) {
    waiting.set(socket, [])
    carryOut()
  } else if (queue.push(carryOut) > PIPELINED_REQUESTS_MAX) socket.destroy()
}

function next(socket: Socket): void {
  if (socket.destroyed) return
  const carryOut = waiting.get(socket)?.shift()
  if (carryOut === undefined) waiting.delete(socket)
  else carryOut()
}
