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
 * Starts the real server with the command of an operator: `MONGOD="mongod --replSet rs0 --dbpath /tmp/x --port 27117"`. For
 * campaigns by hand; it has to name its port, and listens on loopback alone. It becomes a replica set of its own.
 */
export async function startMongod(command: string): Promise<Mongod> {
  const [program = '', ...args] = command.split(' ')
  const host = `127.0.0.1:${args[args.indexOf('--port') + 1]}`
  const url = `mongodb://${host}`
  const begin = () => spawn(program, [...args, '--bind_ip', '127.0.0.1'], { stdio: 'ignore' })
  const answers = async () => {
    const alone = new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 30_000 })
    const config = { _id: 'rs0', members: [{ _id: 0, host }] }
    // Refused when it is one.
    await alone
      .db('admin')
      .command({ replSetInitiate: config })
      .catch(() => {})
    await alone.close()
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
