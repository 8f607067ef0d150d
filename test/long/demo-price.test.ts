import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import { run } from '../cli/command.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'

const test = suiteWithBrowser('demo: another price')

test('[Q7] another price in the shop’s data makes another answer', async () => {
  const { code, out } = await run(['demo'], { SHOP_PRICES: '{"kyoto-teapot": 52.25}' })
  assert.is(code, 0, out)
  assert.match(out, /✔ .*\$120\.50/)
  rmSync(dirname(/Screenshots +(.+)/.exec(out)?.[1] ?? '/tmp/none/none'), { recursive: true, force: true })
})

test.run()
