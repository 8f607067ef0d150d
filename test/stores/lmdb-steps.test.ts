import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StepRecord } from '../../machines/records.ts'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { screenshotsOf, stepsOf } from '../../src/stores/lmdb/steps.ts'
import { tablesOf } from '../../src/stores/lmdb/tables.ts'

const test = suite('lmdb-steps')

const record = (seq: number, output: string, taskId = 't'): StepRecord => ({
  taskId,
  seq,
  step: 1,
  status: 'tool_result',
  toolName: 'find',
  toolInput: null,
  output,
  screenshot: null,
  durationMs: 1,
  createdAt: 1_000,
})

async function opened(use: (steps: ReturnType<typeof stepsOf>, tables: ReturnType<typeof tablesOf>) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'lmdb-steps-'))
  const file = new LmdbFile(join(folder, 'file.mdb'))
  const tables = tablesOf(file)
  try {
    await use(stepsOf(file, tables, screenshotsOf(file)), tables)
  } finally {
    await file.close()
    rmSync(folder, { recursive: true })
  }
}

test('records of one task that come together are one row, and none is lost by a later one of the same number', () =>
  opened(async (steps, tables) => {
    await steps.append([record(1, 'a'), record(2, 'b', 'u'), record(3, 'c')], [])
    await steps.append([record(1, 'again')], [])
    assert.is(tables.steps.under(['t']).length, 2)
    assert.equal(await steps.list('t'), [record(1, 'again'), record(3, 'c')])
    assert.equal(await steps.list('u'), [record(2, 'b', 'u')])
  }))

test('rows of one record each, as they were written before, are read with the others', () =>
  opened(async (steps, tables) => {
    await tables.steps.put(['t', 1], record(1, 'old'))
    await tables.steps.put(['t', 2], record(2, 'old'))
    await steps.append([record(2, 'new')], [])
    assert.equal(await steps.list('t'), [record(1, 'old'), record(2, 'new')])
  }))

test.run()
