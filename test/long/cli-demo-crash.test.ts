import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import { run } from '../cli/command.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'

const test = suiteWithBrowser('demo --crash')

test('[Q7 D7] the service is killed in mid-task and started again: the task completes, the shop has one order', async () => {
  const { code, out, err } = await run(['demo', '--crash'])
  try {
    assert.is(code, 0, out + err)
    const [, killed] = /kill -9: the service \(process (\d+)\) died in step \d+/.exec(out) ?? []
    const [, started] = /Started again as process (\d+), it answered after/.exec(out) ?? []
    assert.ok(killed && started && killed !== started, out)
    assert.match(out, /✔ .*KL-001-\d{4}.*\$113\.00/)
    assert.match(
      out,
      /Result: process \d+ was killed mid-task\. The task still completed, and the shop has exactly one order\./,
    )
  } finally {
    rmSync(dirname(/Screenshots +(.+)/.exec(out)?.[1] ?? '/tmp/none/none'), { recursive: true, force: true })
  }
})

test.run()
