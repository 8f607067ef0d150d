import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const EVERY_US = 200

/** A CPU profile of this process, between two calls. */
export class Profiler {
  #session: Session | null = null

  async start(): Promise<void> {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: EVERY_US })
    await session.post('Profiler.start')
    this.#session = session
  }

  /** Writes the profile to a file. */
  async stop(file: string): Promise<void> {
    const session = this.#session
    if (!session) throw new Error('No profile was begun')
    this.#session = null
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    writeFileSync(file, JSON.stringify(profile))
  }
}
