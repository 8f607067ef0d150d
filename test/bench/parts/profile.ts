import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { findSourceMap } from 'node:module'

const EVERY_US = 200

/** A CPU profile of this process, between two calls. */
export class Profiler {
  #session: Session | null = null

  /** Nothing when one is under way. */
  async start(): Promise<void> {
    if (this.#session) return
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
    writeFileSync(file, JSON.stringify({ ...profile, nodes: profile.nodes.map(asWritten) }))
  }
}

/** The code runs translated, on one long line: functions are told by the lines on which they were written. */
function asWritten<N extends { callFrame: { url: string; lineNumber: number; columnNumber: number } }>(node: N): N {
  const { callFrame } = node
  const entry = findSourceMap(callFrame.url)?.findEntry(callFrame.lineNumber, callFrame.columnNumber)
  if (!entry || !('originalLine' in entry) || entry.originalLine === undefined) return node
  return { ...node, callFrame: { ...callFrame, lineNumber: entry.originalLine } }
}
