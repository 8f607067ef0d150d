import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OWN } from '../../eval/own/tasks.ts'

const test = suite('docs/eval.md')

const rows = readFileSync('docs/eval.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, fault = '']) => /^[AB]\d+$/.test(fault))

test('each fault of the first version is in the table, and what is said to test it is there', () => {
  const faults = rows.map(([, fault]) => fault)
  const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
  assert.equal(faults, [...numbered('A', 9), ...numbered('B', 19)])
  const tasks = new Set(OWN.map(({ name }) => name))
  const named = rows.flatMap(([, , , tests = '']) => [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  assert.equal(
    named.filter((name) => !tasks.has(name) && !existsSync(name)),
    [],
  )
})

test.run()
