import { readFileSync, statSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inFolder, run, start } from './command.ts'

const test = suite('command line: serve')

const FREE = { HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0' }
const KEY = /svc_live_[0-9a-f]{48}/g
const URL_LINE = /HTTP +(http:\/\/127\.0\.0\.1:\d+)/

test('[Q1] says where it listens, and shows the first key once, on an empty store only', async () => {
  await inFolder(async (DATA_DIR) => {
    const service = start(['serve'], { ...FREE, DATA_DIR })
    try {
      const [, url] = await service.said(URL_LINE)
      await service.said(/Next: /)
      assert.is(service.out.match(KEY)?.length, 1)
      for (const said of [/Relay +port \d+/, /Store +embedded/, /Model +none/, /Sign-in/, /Billing +not configured/]) {
        assert.match(service.out, said)
      }
      const [key] = service.out.match(KEY) ?? []
      const answer = await fetch(`${url}/v1/tasks`, { headers: { authorization: `Bearer ${key}` } })
      assert.is(answer.status, 200)
    } finally {
      assert.is((await service.end()).code, 0)
    }
    const again = start(['serve'], { ...FREE, DATA_DIR })
    try {
      await again.said(/Next: /)
      assert.is(again.out.match(KEY), null)
    } finally {
      await again.end()
    }
  })
})

test('[Q5] a wrong pairing token, and a service that is not there, are said in one line', async () => {
  await inFolder(async (DATA_DIR) => {
    const service = start(['serve'], { ...FREE, DATA_DIR })
    try {
      const [, url = ''] = await service.said(URL_LINE)
      const token = `svc_pair_${'0'.repeat(64)}`
      const wrong = await run(['browser', '--url', url, '--token', token])
      // Where there is no browser at all, that is said first.
      assert.match(wrong.err, /^(The pairing token is wrong, expired or already used|No browser was found)/)
      assert.is(wrong.err.trimEnd().split('\n').length, 1)
      assert.is(wrong.code, 3)
    } finally {
      await service.end()
    }
  })
})

test('[Q8] in production the first key is in a file that only its user may read, and nowhere in the output', async () => {
  await inFolder(async (DATA_DIR) => {
    const service = start(['serve'], { ...FREE, DATA_DIR, NODE_ENV: 'production' })
    try {
      const [, url] = await service.said(URL_LINE)
      await service.said(/Next: /)
      assert.match(service.out, new RegExp(`Dashboard +${url}/dashboard`))
      assert.is(service.out.match(KEY), null)
      const file = `${DATA_DIR}/first-key`
      assert.is(statSync(file).mode & 0o777, 0o600)
      const key = readFileSync(file, 'utf8').trim()
      const answer = await fetch(`${url}/v1/tasks`, { headers: { authorization: `Bearer ${key}` } })
      assert.is(answer.status, 200)
    } finally {
      await service.end()
    }
  })
})

test.run()
