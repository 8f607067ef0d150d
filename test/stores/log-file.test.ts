import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LogFile, readLog } from '../../src/stores/lmdb/log-file.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('log file')
/** Of one length, so that it is easy to say in which entry a byte lies. */
const TEXTS = ['one', 'two', 'six']
const ENTRY_BYTES = 16 + 3

const newPath = () => join(tempFolder(), 'log')

/** A log with these texts, and its path. */
function logOf(texts: readonly string[]) {
  const path = newPath()
  const log = new LogFile(path)
  for (const [n, text] of texts.entries()) log.append(n + 1, [text])
  return { log, path }
}
const textsOf = (path: string, after = 0) => [...readLog(path, after)].map(({ text }) => text)

test('gives back what was appended, in order, after any number', () => {
  const texts = ['a', '', 'ü😀\u0000"', 'x'.repeat(300_000), 'end']
  const { log, path } = logOf(texts)
  assert.equal(textsOf(path), texts)
  assert.equal(
    [...readLog(path, 3)].map(({ number }) => number),
    [4, 5],
  )
  assert.equal(textsOf(path, 5), [])
  assert.is(log.last, 5)
})

test('[D2] cut off at any byte, it gives every entry that is whole and nothing else', () => {
  const { path } = logOf(TEXTS)
  const whole = readFileSync(path)
  assert.is(whole.length, TEXTS.length * ENTRY_BYTES)
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    assert.equal(textsOf(path), TEXTS.slice(0, Math.floor(length / ENTRY_BYTES)), `${length} bytes`)
  }
})

test('[D2] with any byte damaged, it gives the entries before that byte and nothing else', () => {
  const { path } = logOf(TEXTS)
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 0x41
    writeFileSync(path, damaged)
    assert.equal(textsOf(path), TEXTS.slice(0, Math.floor(at / ENTRY_BYTES)), `byte ${at}`)
  }
})

test('says where the pieces of an entry lie, whatever their characters are', () => {
  const { log, path } = logOf(['before'])
  for (const [n, pieces] of [
    ['[', '"a"', '', ']'],
    ['ü', 'é😀', 'x'.repeat(200_000)],
    ['€', ''],
  ].entries()) {
    const places = log.append(n + 2, pieces)
    assert.equal(
      places.map((place) => log.at(place).toString()),
      pieces,
    )
    assert.is(textsOf(path).at(-1), pieces.join(''))
  }
  assert.is(textsOf(path).length, 4)
})

test('[D2] a sync resolves when what was appended before it is written to the disk, and fails when that does', async () => {
  const { log } = logOf(['a'])
  await log.sync()
  log.append(2, ['b'])
  const both = [log.sync(), log.sync()]
  log.append(3, ['c'])
  await Promise.all([...both, log.sync()])
  log.remove()
  assert.is(await log.sync(), undefined)
  assert.throws(() => log.append(4, ['d']), /EBADF/)
  const other = logOf(['a']).log
  other.remove()
  for (const _ of [1, 2]) {
    const reason = await other.sync().catch((error: Error) => error.message)
    assert.match(String(reason), 'EBADF')
  }
})

test('after a rewind it begins anew, and nothing of the time before is given', () => {
  const { log, path } = logOf(['first', 'again', 'third'])
  log.rewind()
  assert.is(log.bytes, 0)
  log.append(4, ['fresh'])
  assert.equal([...readLog(path, 0)], [{ number: 4, text: 'fresh' }])
  log.append(5, ['later'])
  assert.equal(textsOf(path), ['fresh', 'later'])
  assert.equal(textsOf(path, 4), ['later'])
})

test('an append that fails leaves it as it was', () => {
  const { log, path } = logOf(['a'])
  log.remove()
  assert.throws(() => log.append(2, ['b']), /EBADF/)
  assert.equal([log.last, log.bytes], [1, 17])
  assert.not(existsSync(path))
})

test('a file that is there is never taken for a new log', () => {
  const { path } = logOf(['a'])
  assert.throws(() => new LogFile(path), /EEXIST/)
  assert.equal(textsOf(path), ['a'])
})

test.run()
