import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Moment, Part } from '../../bench/counted/counts.ts'
import { inARow, startsOf, stepsOf } from '../../bench/counted/parts.ts'
import { keepsBudget, median, quantile, table } from '../../bench/figures.ts'

import { startMongoServer } from '../support/mongo/start.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('bench')

test('an option that does not parse is named', () => {
  const args = ['--import', 'tsx', 'bench/run.ts', '--only', 'steps,speed']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 })
  assert.is(status, 1)
  assert.match(stderr, '--only speed: expected steps, paced, cpu, store, reads, sessions, restart, viewers, heap')
})

test('the median of the rounds is held against the budget', () => {
  assert.is(median([3, 1, 2]), 2)
  assert.is(median([4, 1, 2, 3]), 2.5)
  assert.is(quantile([5, 1, 4, 2, 3], 0.5), 3)
  const figure = { what: 'steps', unit: 'per s', rounds: [240, 230, 1_250] }
  assert.is(keepsBudget(figure), null)
  assert.is(keepsBudget({ ...figure, atLeast: 240 }), true)
  assert.is(keepsBudget({ ...figure, atMost: 239 }), false)
  assert.match(table([{ ...figure, atMost: 239 }]), '| steps | ≤ 239 | 240 (230–1,250) | per s | **no** |')
})

const moment = (part: Part, at: number): Moment => ({ part, at, transactions: at, tableWrites: 0 })
const between = (from: number, to: number) => ({ command: 'find', from, to })

test('round trips are in a row when each begins after the one before is over', () => {
  assert.is(inARow([]), 0)
  assert.is(inARow([between(0, 9), between(1, 3), between(2, 4), between(3, 5), between(5, 6)]), 3)
})

test('a step is from a result to the next one of its task, and a start ends with its answer', () => {
  const parts = [
    'request',
    'response',
    'call',
    'result',
    'call',
    'result',
    'end',
    'request',
    'call',
    'response',
  ] as const
  const moments = parts.map((part, n) => moment(part, n * 10))
  const roundTrips = [between(1, 9), between(5, 11), between(31, 33), between(45, 55), between(51, 52)]
  const steps = stepsOf({ moments, roundTrips })
  assert.equal(
    steps.map(({ result, call, next }) => [result.at, call.at, next.at]),
    [[30, 40, 50]],
  )
  assert.equal(steps[0]?.roundTrips, [between(31, 33), between(45, 55)])
  assert.equal(startsOf({ moments, roundTrips }), [[between(1, 9)]])
})

const DRIVEN = `
import { open } from 'lmdb'
import { MongoClient } from 'mongodb'
import { counts } from './bench/counted/counts.ts'
const file = open({ path: process.env.FOLDER + '/a.mdb', noSubdir: true })
const table = file.openDB('table', {})
counts.begin()
counts.moment('result')
await file.put('a', 1)
await table.transaction(() => void (table.put('b', 2), table.remove('b')))
counts.moment('call')
const client = new MongoClient(process.env.MONGODB_URL)
await client.db('bench').collection('a').insertOne({})
await client.db('bench').command({ ping: 1 })
const counted = JSON.stringify(counts.read())
await client.close()
console.log(counted)`

test('the drivers count what whoever imports them does', async () => {
  const mongo = await startMongoServer()
  const loaders = ['--import', './src/typescript.js', '--import', './bench/counted/drivers.ts']
  const { stdout, stderr } = spawnSync(process.execPath, [...loaders, '--input-type=module', '--eval', DRIVEN], {
    encoding: 'utf8',
    env: { ...process.env, FOLDER: tempFolder(), MONGODB_URL: mongo.url },
    timeout: 50_000,
  })
  await mongo.kill()
  assert.ok(stdout, stderr)
  const { moments, roundTrips } = JSON.parse(stdout)
  const [before, after] = moments
  assert.is(after.tableWrites - before.tableWrites, 3)
  assert.is(after.transactions - before.transactions, 2)
  assert.is(roundTrips.length, 2)
})

test('it measures, and prints each figure beside its budget', () => {
  const args = ['--import', 'tsx', 'bench/run.ts', '--quick', '--only', 'steps']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 })
  assert.is(status, 0, stdout + stderr)
  assert.match(stdout, /\| CPU \| ≤ 50 \| [\d.]+ \| % of a core \|/)
})

test.run()
