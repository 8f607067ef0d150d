import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { breakCopy, copyOfTree } from '../../support/broken-copy.ts'
import type { Mutation } from './list.ts'

const COPIED = ['machines', 'actors', 'src', 'test/simulation', 'test/support', 'package.json']
const PATIENCE_MS = 15 * 60_000

export interface Finding {
  /** The seeds that broke a promise, from the first on. */
  readonly found: readonly number[]
  /** The first promise that was broken. */
  readonly what: string
}

/** Breaks a copy of the tree and runs seeds against it, from 1 on, until `enough` have found it. */
export async function tryMutation(
  { plan = {}, also = [], ...first }: Mutation,
  seeds: number,
  enough: number,
  nodes: 1 | 3 = 1,
): Promise<Finding> {
  const folder = copyOfTree(COPIED)
  try {
    for (const change of [first, ...also]) breakCopy(folder, change)
    return JSON.parse(await count(folder, [seeds, enough, plan, nodes]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The last line that `count.ts` prints there. */
function count(folder: string, how: readonly unknown[]): Promise<string> {
  const args = ['--conditions=development', '--import', 'tsx', 'test/simulation/mutations/count.ts']
  const child = spawn(process.execPath, [...args, ...how.map((each) => JSON.stringify(each))], {
    cwd: folder,
    timeout: PATIENCE_MS,
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (code) => {
      const last = output.trimEnd().split('\n').at(-1)
      if (code === 0 && last) done(last)
      else failed(new Error(`The seeds did not run to their end: ${errors || code}`))
    })
  })
}
