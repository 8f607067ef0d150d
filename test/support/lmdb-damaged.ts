import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../actors/runtime/ports.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { Random } from '../simulation/random.ts'
import { collected, tempFolder } from './stores.ts'

/*
 * Changes 64 bytes of a store at each of the places that it is told, on a copy, and says of each question what is
 * answered then: `<place> <question> SAID|WRONG`, where it is not the truth. lmdb may end the process.
 *
 *   lmdb-damaged.ts <data folder> <file with the truth> <places, as JSON>
 */
export const DAMAGED_BYTES = 64

/** Everything that is asked of a store with these tasks. */
export async function answersOf(
  store: Store,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const page = { workspaceId, browserSessionId: null, after: null, limit: 100 }
  const asked: Record<string, () => Promise<unknown>> = {
    list: () => store.tasks.list({ ...page, status: null }),
    'list running': () => store.tasks.list({ ...page, status: 'running' }),
    running: () => collected(store.tasks.running()),
    actors: () => collected(store.actors()),
    events: () => store.events.ofWorkspace(workspaceId, 0, 1_000, 1_000),
  }
  for (const id of ids) {
    asked[`task ${id}`] = () => store.tasks.get(id)
    asked[`journal ${id}`] = () => store.journal(id)
    asked[`steps ${id}`] = () => store.steps.list(id)
  }
  const answers = new Map<string, string>()
  for (const [question, answer] of Object.entries(asked)) answers.set(question, await said(answer))
  return answers
}

async function said(answer: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer())
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
}

export const REPORTED = /^(?:StoreDamaged|Error): Data folder .* is damaged: /

async function tryAt(place: number, dataDir: string, workspaceId: string, truth: ReadonlyMap<string, string>) {
  const copy = tempFolder()
  cpSync(dataDir, copy, { recursive: true })
  const path = join(copy, 'store.mdb')
  const bytes = readFileSync(path)
  const random = new Random(place)
  for (let n = 0; n < DAMAGED_BYTES; n++) bytes[place + n] = random.whole(0, 255)
  writeFileSync(path, bytes)
  const opened = await openLmdbStore({ dataDir: copy }).catch((error: Error) => error)
  if (opened instanceof Error) {
    console.log(
      `${place} open ${/is damaged|cannot be (?:read|written)/.test(opened.message) ? 'SAID' : 'WRONG'} ${opened.message}`,
    )
    return
  }
  const ids = [...truth.keys()].flatMap((question) => question.match(/^task (.*)/)?.[1] ?? [])
  let isDamaged = false
  for (const [question, answer] of await answersOf(opened, workspaceId, ids)) {
    const isRight = answer === truth.get(question)
    const isSaid = REPORTED.test(answer)
    isDamaged ||= isSaid
    if (!isRight) console.log(`${place} ${question} ${isSaid ? 'SAID' : 'WRONG'} ${answer.slice(0, 300)}`)
  }
  if (isDamaged === (await opened.ping())) console.log(`${place} ping WRONG`)
  console.log(`${place} done`)
}

if (process.argv[1]?.endsWith('lmdb-damaged.ts')) {
  const [, , dataDir = '', truthPath = '', places = '[]'] = process.argv
  const { workspaceId, truth } = JSON.parse(readFileSync(truthPath, 'utf8'))
  for (const place of JSON.parse(places) as number[]) {
    console.log(`${place} begins`)
    await tryAt(place, dataDir, workspaceId, new Map(truth))
  }
  process.exit(0)
}
