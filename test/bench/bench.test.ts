import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readOptions } from './options.ts'
import { Samples, spread } from './parts/numbers.ts'
import { svg } from './report/plot.ts'
import { markdown, short } from './report/section.ts'

const test = suite('bench')

/** It runs in about ten seconds; on a machine that is busy with other tests it may take several times as long. */
const RUN_MS_MAX = 50_000

test('the bench runs, prints its tables and writes its figures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-test-'))
  try {
    const file = join(folder, 'figures.json')
    const args = ['--import', 'tsx', 'test/bench/run.ts', '--quick', '--only', 'steps', '--at', '3', '--json', file]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: RUN_MS_MAX })
    assert.is(status, 0, stdout + stderr)
    assert.match(stdout, /\| model in the process, tasks at a time \|/)
    assert.match(stdout, /\| model over HTTP, tasks at a time \|/)
    const { steps } = JSON.parse(readFileSync(file, 'utf8'))
    for (const { rounds } of [steps.inProcess, steps.overHttp]) {
      assert.is(rounds.length, 1)
      const [{ at, stepsPerS, ownP50, ownP99, cpuPerStep, rowsPerStep, reference }] = rounds
      assert.is(at, 3)
      for (const figure of [stepsPerS, ownP50, cpuPerStep, rowsPerStep, reference]) assert.ok(figure > 0, stdout)
      assert.ok(ownP99 >= ownP50)
    }
    assert.ok(steps.inProcess.transitions[0] > 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('options that do not parse are named', () => {
  const refused = (...args: string[]) => {
    try {
      readOptions(args)
      return 'accepted'
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.is(refused('--store', 'redis'), '--store redis: expected lmdb, mongodb')
  assert.is(
    refused('--only', 'steps,speed'),
    '--only speed: expected steps, paced, reads, sessions, restart, growth, inspector',
  )
  assert.is(refused('--at', '5,x'), '--at x: expected a whole number from 1 to 1000')
  assert.is(refused('--leak', '0'), '--leak 0: expected a whole number from 1 to 1000000')
  assert.match(refused('--fast'), /--fast/)
  assert.is(refused('--quick', '--at', '5,50', '--only', 'reads'), 'accepted')
})

test('rounds become a median with its extremes, samples percentiles', () => {
  assert.equal(spread([3, 1, 2]), { median: 2, min: 1, max: 3 })
  assert.equal(spread([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 })
  const samples = new Samples(100)
  for (let n = 100; n >= 1; n--) samples.add(n)
  samples.add(1_000)
  assert.equal(samples.times(), { p50: 51, p99: 100, max: 100, count: 100 })
  samples.clear()
  assert.equal(samples.times(), { p50: 0, p99: 0, max: 0, count: 0 })
})

test('numbers keep what tells something', () => {
  assert.equal([0, 0.12345, 1.2345, 12.345, 123.45, 12_345.6, 50].map(short), [
    '0',
    '0.123',
    '1.23',
    '12.3',
    '123',
    '12,346',
    '50',
  ])
})

test('a section is printed as Markdown with even columns', () => {
  const table = {
    head: ['at', 'steps/s'],
    rows: [
      ['5', '1,000'],
      ['200', '9'],
    ],
  }
  const text = markdown({ title: 'T', tables: [table], notes: ['One.', 'Two.'], plots: [], figures: null })
  assert.is(
    text,
    '## T\n\n| at  | steps/s |\n| --- | ------: |\n| 5   |   1,000 |\n| 200 |       9 |\n\n- One.\n- Two.\n',
  )
})

test('a plot is an SVG of its own, its words escaped', () => {
  const plot = { file: 'a.svg', title: 'a < b & c', x: 'x', y: 'y', places: ['1', '2'] }
  const drawn = svg({ ...plot, lines: [{ name: 'one', values: [0, 10] }] })
  assert.match(drawn, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  assert.ok(drawn.includes('a &lt; b &amp; c'))
  assert.match(drawn, /points="72\.0,308\.0 520\.0,44\.0"/)
  assert.not.match(svg({ ...plot, lines: [] }), /NaN|Infinity/)
})

test.run()
