import { register } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openTransport } from '../../../src/net/open-transport.ts'
import { memoryLog } from '../../support/http-wire.ts'

// A system on which the binary does not load, for as long as this process lives.
const resolve = `export function resolve(name, context, next) {
  if (name === 'uWebSockets.js') throw new Error('no binary for this system\\nand more')
  return next(name, context)
}`
register(`data:text/javascript,${encodeURIComponent(resolve)}`)

const test = suite('open transport')

test('falls back to node:http with one log line where uWebSockets.js does not load', async () => {
  const log = memoryLog()
  assert.is((await openTransport(null, log)).name, 'node')
  assert.is(log.lines.length, 1)
  assert.match(log.lines[0]?.message ?? '', 'uWebSockets.js does not load here')
  assert.match(JSON.stringify(log.lines[0]?.fields), 'no binary for this system')
})

test('says why when uWebSockets.js was asked for by name', async () => {
  try {
    await openTransport('uws', memoryLog())
    assert.unreachable()
  } catch (error) {
    assert.match((error as Error).message, /^TRANSPORT=uws: .*no binary for this system$/)
  }
})

test('gives node:http in silence when it was asked for', async () => {
  const log = memoryLog()
  assert.is((await openTransport('node', log)).name, 'node')
  assert.is(log.lines.length, 0)
})

test.run()
