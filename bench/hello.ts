import { App, us_socket_local_port } from 'uWebSockets.js'
import { serve } from './remote.ts'
import { usageOfThis } from './usage.ts'

/** A process: the smallest JSON answer that the socket library can give, which reads are measured against. */
const hello = JSON.stringify({ hello: 'world' })
const port = await new Promise<number>((resolve) =>
  App()
    .get('/*', (res) => void res.writeHeader('content-type', 'application/json').end(hello))
    .listen('127.0.0.1', 0, (socket) => resolve(socket ? us_socket_local_port(socket) : 0)),
)

const calls = { port: () => port, usage: () => usageOfThis() }
export type HelloCalls = typeof calls
serve(calls)
