import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import { run } from '../cli/command.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { hasNats } from '../support/nats.ts'

const test = suiteWithBrowser('demo --nodes')

test('[Q7 M9] one of three nodes is killed in mid-task: the task completes at another, the shop has one order', async () => {
  const { code, out, err } = await run(['demo', '--nodes', '3'])
  try {
    assert.is(code, 0, out + err)
    assert.match(out, /Service +3 nodes behind http/)
    const [, killed] = /kill -9: the node that ran the task \(process (\d+)\) died in step \d+/.exec(out) ?? []
    const [, next] = /Another node \(process (\d+)\) has it after/.exec(out) ?? []
    assert.ok(killed && next && killed !== next, out)
    assert.match(out, /✔ .*KL-001-\d{4}.*\$113\.00/)
    assert.match(out, /the shop has exactly one order\./)
  } finally {
    rmSync(dirname(/Screenshots +(.+)/.exec(out)?.[1] ?? '/tmp/none/none'), { recursive: true, force: true })
  }
})

if (hasNats) test.run()
else console.log('SKIPPED 1 no nats-server is installed')
