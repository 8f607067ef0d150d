import { createServer, connect as dial, type Socket } from 'node:net'

/** A load balancer of TCP on loopback: each connection goes to the next node that is up, and nothing is sticky. */
export interface Balancer {
  readonly port: number
  /** A node that is down gets no connections, and those that it had are cut. */
  setUp(port: number, isUp: boolean): void
  /** A node that is going gets no further connections, and keeps those that it has. */
  drain(port: number): void
  close(): void
}

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const up = new Set(ports)
  const sockets = new Map<Socket, number>()
  let turn = 0
  const server = createServer((client) => {
    const living = [...up]
    const port = living[turn++ % living.length]
    if (port === undefined) return client.destroy()
    const backend = dial(port, '127.0.0.1')
    sockets.set(client, port)
    const end = () => {
      sockets.delete(client)
      client.destroy()
      backend.destroy()
    }
    for (const socket of [client, backend]) socket.once('error', end).once('close', end)
    client.pipe(backend)
    backend.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    setUp(port, isUp) {
      if (isUp) up.add(port)
      else up.delete(port)
      if (!isUp) for (const [client, to] of [...sockets]) if (to === port) client.destroy()
    },
    drain: (port) => void up.delete(port),
    close() {
      server.close()
      for (const client of sockets.keys()) client.destroy()
    },
  }
}
