import { spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('the installed browser')
/** The folders whose tests drive pages: each day they do so in the bare headless browser. */
const FOLDERS = ['browser', 'web', 'observe/inspector', 'docs', 'e2e', 'cli'].map((folder) => `test/${folder}`)

test('what holds in the bare headless browser holds in the installed one', async () => {
  const args = ['--import', 'tsx', 'test/run.ts', '--installed', '--jobs', '2', ...FOLDERS]
  const run = spawn(process.execPath, args, { stdio: 'inherit' })
  const exitCode = await new Promise((resolve) => run.once('exit', resolve))
  assert.is(exitCode, 0)
})

test.run()
