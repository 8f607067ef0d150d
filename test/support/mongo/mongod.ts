import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { MongoClient } from 'mongodb'

/** A mongod of one's own, which can be killed and started again on its data. */
export interface Mongod {
  readonly url: string
  kill(): Promise<void>
  start(): Promise<void>
}

/**
 * Starts the real server with the command of an operator: `MONGOD="mongod --dbpath /tmp/x --port 27117"`. For campaigns
 * by hand; it has to name its port, and listens on loopback alone.
 */
export async function startMongod(command: string): Promise<Mongod> {
  const [program = '', ...args] = command.split(' ')
  const url = `mongodb://127.0.0.1:${args[args.indexOf('--port') + 1]}`
  const begin = () => spawn(program, [...args, '--bind_ip', '127.0.0.1'], { stdio: 'ignore' })
  const answers = async () => {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: 30_000 })
    await client.connect()
    await client.close()
  }
  let child = begin()
  process.on('exit', () => void child.kill('SIGKILL'))
  await answers()
  return {
    url,
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async start() {
      child = begin()
      await answers()
    },
  }
}

/** The primary of a replica set steps down, and the others elect. Resolves to whether it did. */
export async function stepDown(url: string): Promise<boolean> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 30_000 })
  try {
    await client.db('admin').command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 3 })
    return true
  } catch {
    return false
  } finally {
    await client.close()
  }
}
