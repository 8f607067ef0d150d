import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { freePorts } from './ports.ts'

/** Whether there is a nats-server on this machine: tests that need one are skipped and counted without. */
export const hasNats = spawnSync('nats-server', ['--version']).status === 0

export interface NatsServer {
  readonly url: string
  /** Ends it at once. */
  kill(): Promise<void>
  /** Begins again on the same port. */
  start(): Promise<void>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A real nats-server on a free port of loopback. It ends with this process at the latest. */
export async function startNats(options: readonly string[] = []): Promise<NatsServer> {
  const [port = 0] = await freePorts(1)
  let child: ChildProcess
  const start = async () => {
    child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...options], { stdio: 'ignore' })
    running.add(child)
    await listening(port)
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    async kill() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      running.delete(child)
    },
  }
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
    if (isThere) return
    if (attempt === 500) throw new Error('nats-server does not listen')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
