import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { breakCopy, copyOfTree } from '../support/broken-copy.ts'
import { EDGE } from './edge-mutations/list.ts'

/**
 * The security edge, broken one sentence at a time in a copy of the tree: a unit test has to fail. Two at a time.
 * `ONLY=<text>` in the environment tries those whose file or change has it.
 */
const TEST_MS_MAX = 240_000
const WORKERS = 2
const COPIED = ['machines', 'actors', 'src', 'test', 'docs', 'clients', 'package.json', 'tsconfig.json', 'README.md']

const test = suite('mutations of the edge')
const folders = Array.from({ length: WORKERS }, () => copyOfTree(COPIED))
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Whether the tests of a file pass there. What hangs fails. */
const passes = (folder: string, file: string): Promise<boolean> =>
  new Promise((done) => {
    const args = ['--conditions=development', '--import', 'tsx', file]
    const child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: 'ignore',
      timeout: TEST_MS_MAX,
      killSignal: 'SIGKILL',
    })
    child.once('close', (code) => done(code === 0))
  })

const { ONLY = '' } = process.env
const mutations = EDGE.flatMap(({ tests, file, changes }) =>
  changes.map(([from, to]) => ({ tests, file, from, to, name: `${file}: ${from} → ${to || 'nothing'}` })),
).filter(({ name }) => name.includes(ONLY))

async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item, folder: string) => Promise<void>,
): Promise<void> {
  const left = [...items]
  await Promise.all(
    folders.map(async (folder) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item, folder)
    }),
  )
}

test('the tests pass in the copy as it is', async () => {
  const failing: string[] = []
  await eachOf([...new Set(mutations.flatMap(({ tests }) => tests))], async (file, folder) => {
    if (!(await passes(folder, file))) failing.push(file)
  })
  assert.equal(failing, [])
})

test('each sentence that is broken is noticed', async () => {
  const survivors: string[] = []
  await eachOf(mutations, async ({ tests, name, ...change }, folder) => {
    const mend = breakCopy(folder, change)
    let isNoticed = false
    for (const file of tests) isNoticed ||= !(await passes(folder, file))
    mend()
    if (isNoticed) return
    survivors.push(name)
    console.log(`not noticed: ${name}`)
  })
  console.log(`${mutations.length} mutations, ${mutations.length - survivors.length} noticed`)
  assert.equal(survivors, [])
})

test.run()
