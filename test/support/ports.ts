import { createServer } from 'node:net'

/** Below those that systems give to connections and to listeners without a port of their own: nobody takes one by chance. `fetch` refuses 10,080. */
const FIRST = 10_100
const COUNT = 22_000
/** Processes that run at one time begin at places of their own. */
const EACH = 16
let next = process.pid * EACH

/** Ports that nobody listens on at this moment, each another; no other test is given one of them meanwhile. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
