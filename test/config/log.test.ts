import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLog } from '../../src/observe/log.ts'

const test = suite('log')

function written(level: 'info' | 'debug' = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = openLog({ level, sink: { write: (line) => void lines.push(JSON.parse(line)) } })
  return { lines, log }
}

test('writes fields first, then the sentence', () => {
  const { lines, log } = written()
  log.info({ port: 3456 }, 'Listening')
  assert.is(lines.length, 1)
  assert.is(lines[0]?.port, 3456)
  assert.is(lines[0]?.msg, 'Listening')
})

test('is silent below its level', () => {
  const { lines, log } = written()
  log.debug({}, 'not this')
  log.warn({}, 'this')
  assert.equal(
    lines.map((line) => line.msg),
    ['this'],
  )
})

test('redacts whatever is named like a secret, one level deep too', () => {
  const { lines, log } = written()
  log.error(
    {
      token: 'svc_sess_1',
      key: 'svc_live_1',
      keyPrefix: 'svc_live_abc',
      headers: {
        authorization: 'Bearer svc_live_2',
        cookie: 'better-auth.session_token=1',
        'set-cookie': 'a=b',
        accept: 'x',
      },
    },
    'Refused',
  )
  const line = JSON.stringify(lines[0])
  for (const secret of ['svc_sess_1', 'svc_live_1', 'svc_live_2', 'session_token=1', 'a=b']) {
    assert.not.ok(line.includes(secret), secret)
  }
  assert.is(lines[0]?.keyPrefix, 'svc_live_abc')
  assert.match(line, /"accept":"x"/)
})

test('writes an error with its message and stack', () => {
  const { lines, log } = written()
  log.error({ err: new Error('broken') }, 'Failed')
  const line = JSON.stringify(lines[0]?.err)
  assert.match(line, /"message":"broken"/)
  assert.match(line, /log\.test/)
})

test.run()
