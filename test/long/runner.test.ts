import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('runner')
const header = `import { suite } from 'uvu'\nconst test = suite('fixture')\n`

/** Runs the real runner on a folder of test files and gives its exit code, its output and its last line. */
function run(files: Readonly<Record<string, string>>, ...args: string[]) {
  const root = mkdtempSync(join(tmpdir(), 'runner-'))
  try {
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    for (const [name, source] of Object.entries(files)) {
      mkdirSync(dirname(join(root, 'test', name)), { recursive: true })
      writeFileSync(join(root, 'test', name), source.replaceAll('ROOT', root))
    }
    const child = spawnSync(
      process.execPath,
      ['--import', 'tsx', 'test/run.ts', '--root', join(root, 'test'), ...args],
      // Its files are not in the build that this one may run from.
      { encoding: 'utf8', timeout: 50_000, env: { ...process.env, TEST_BUILD: '' } },
    )
    const lines = child.stdout.trimEnd().split('\n')
    const read = (name: string) => readFileSync(join(root, name), 'utf8')
    return { code: child.status, out: child.stdout, last: lines.at(-1), left: safely(() => read('left')) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
const safely = <T>(make: () => T): T | null => {
  try {
    return make()
  } catch {
    return null
  }
}
/** A killed process whose parent is gone may stay listed as a zombie until something reaps it. */
const alive = (pid: number) =>
  (safely(() => process.kill(pid, 0)) ?? false) &&
  !/\) Z /.test(safely(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '')

test('adds up what passed and was skipped, over all folders, with the reasons that files give, and shows nothing else', () => {
  const passing = `${header}test('a', () => console.log('noise'))\ntest('b', () => {})\ntest.run()\n`
  const { code, out, last } = run({
    'a.test.ts': passing,
    'b.test.ts': `${header}test('a', () => {})\ntest.skip('b', () => {})\ntest.run()\n`,
    'c.test.ts': `${header}console.log('SKIPPED 3 no browser is installed')\ntest.run()\n`,
    'room/b.test.ts': passing,
    'room/helper.ts': 'throw 1',
  })
  assert.is(last, '5 passed, 0 failed, 4 skipped')
  assert.match(out, '\n3 skipped: no browser is installed\n5 passed')
  assert.is(code, 0)
  assert.not.match(out, 'noise')
})

test('only what an earlier run skipped runs again, and counts once; a failure of the earlier run stays one', () => {
  const notes = join(mkdtempSync(join(tmpdir(), 'runner-saved-')), 'saved.json')
  // Skips until the earlier run is saved, as a test skips until its tool is installed.
  const skipping = `import { existsSync } from 'node:fs'
const isThere = existsSync('${notes}')
if (!isThere) console.log('SKIPPED 2 no browser is installed')
else for (const name of ['b', 'c']) test(name, () => {})
test('a', () => {})
`
  const lonely = `${header}${skipping}test.run()\n`
  const files = {
    'passes.test.ts': `${header}test('a', () => {})\ntest.run()\n`,
    'skips.test.ts': lonely,
    'stays.test.ts': `${header}console.log('SKIPPED 1 no nats-server is installed')\ntest('a', () => {})\ntest.run()\n`,
  }
  const failsOnce = { 'fails.test.ts': `${header}${skipping}test('d', () => { if (!isThere) throw 1 })\ntest.run()\n` }
  assert.is(run(files, '--save', notes).last, '3 passed, 0 failed, 3 skipped')
  const second = run(files, '--only-skipped', notes)
  assert.is(second.last, '5 passed, 0 failed, 1 skipped')
  assert.is(second.code, 0)
  assert.not.match(second.out, 'passes.test.ts')
  assert.not.match(second.out, 'no browser is installed')
  assert.match(second.out, '1 skipped: no nats-server is installed')

  rmSync(notes)
  assert.match(run(failsOnce, '--save', notes, '--again', '0').last ?? '', '1 passed, 1 failed, 2 skipped')
  const failed = run(failsOnce, '--only-skipped', notes, '--again', '0')
  assert.is(failed.last, '4 passed, 1 failed')
  assert.is(failed.code, 1)
})

test('what failed beside others runs once more, and is named as flaky when it passes then', () => {
  const marker = join(mkdtempSync(join(tmpdir(), 'runner-flaky-')), 'ran')
  const flaky = `import { existsSync, writeFileSync } from 'node:fs'
const isFirst = !existsSync('${marker}')
writeFileSync('${marker}', '')
test('a', () => { if (isFirst) throw new Error('on purpose') })
test.run()
`
  const { code, out, last } = run({
    'flaky.test.ts': `${header}${flaky}`,
    'good.test.ts': `${header}test('a', () => {})\ntest.run()\n`,
  })
  assert.is(code, 0)
  assert.match(out, /^✘ .*flaky\.test\.ts/m)
  assert.match(out, /^1 flaky: ran twice: .*flaky\.test\.ts$/m)
  assert.is(last, '2 passed, 0 failed')
})

test('a failure is shown; a hook that throws, no summary, no test and a break after the summary are failures', () => {
  const { code, out, last } = run({
    'failing.test.ts': `${header}test('a', () => {})\ntest('b', () => { throw new Error('on purpose') })\ntest.run()\n`,
    // uvu ends this with exit code 0.
    'hook.test.ts': `${header}test.before(() => { throw new Error('x') })\ntest('a', () => {})\ntest.run()\n`,
    'broken.test.ts': `throw new Error('at the top')`,
    'empty.test.ts': `${header}test.run()\n`,
    'late.test.ts': `${header}test('a', () => {})\ntest.run()\nprocess.on('exit', () => { process.exitCode = 3 })\n`,
  })
  assert.match(out, 'on purpose')
  for (const name of ['failing', 'hook', 'broken', 'empty', 'late'])
    assert.match(out, new RegExp(`^✘ .*/${name}\\.test\\.ts  \\d passed, [1-9]\\d* failed`, 'm'), name)
  assert.match(last ?? '', /^2 passed, [5-9] failed$/)
  assert.is(code, 1)
})

test('a file that hangs is killed with all that it started', () => {
  const hanging = `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
writeFileSync('ROOT/left', String(child.pid))
setInterval(() => {}, 1000)\n`
  const { code, out, last, left } = run({ 'a.test.ts': hanging }, '--limit-ms', '4000')
  assert.is(last, '0 passed, 1 failed')
  assert.is(code, 1)
  assert.match(out, 'time limit')
  assert.ok(Number(left) > 0)
  assert.not(alive(Number(left)))
})

test('files that start nothing share a process; if one ends it, the results of the others are those of each alone', () => {
  const asks = (is: string) => `${header}import { existsSync, readFileSync, writeFileSync } from 'node:fs'
test('a', () => {
  if (!existsSync('ROOT/left')) writeFileSync('ROOT/left', String(process.pid))
  else if ((Number(readFileSync('ROOT/left', 'utf8')) === process.pid) !== ${is}) throw new Error('another process')
})\ntest.run()\n`
  const failing = `${header}test('b', () => { throw new Error('on purpose') })\ntest.run()\n`
  const well = run({
    'machines/a.test.ts': asks('true'),
    'machines/b.test.ts': asks('true'),
    'machines/c.test.ts': failing,
  })
  assert.is(well.last, '2 passed, 1 failed')
  assert.match(well.out, /^✘ .*\/machines\/c\.test\.ts {2}0 passed, 1 failed.*\n[\s\S]*on purpose/m)
  const ending = `${header}test('c', () => process.exit(0))\ntest.run()\n`
  const broken = run({
    'machines/a.test.ts': asks('false'),
    'machines/b.test.ts': asks('false'),
    'machines/c.test.ts': ending,
  })
  assert.is(broken.last, '2 passed, 1 failed')
  assert.match(broken.out, /^✘ .*\/machines\/c\.test\.ts/m)
})

test.run()
