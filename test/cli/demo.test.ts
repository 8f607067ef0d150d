import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { run } from './command.ts'
import { suiteWithBrowser } from './with-browser.ts'

const test = suiteWithBrowser('demo')

test('[Q7] orders in the shop, prints every step, and ends with 0 because the answer is right', async () => {
  const { code, out, err } = await run(['demo'])
  assert.is(code, 0, out + err)
  assert.is(err, '')
  const steps = out.split('\n').filter((line) => /^ {2,3}\d+ {2}.* \d+(\.\d)? m?s$/.test(line))
  assert.ok(steps.length >= 6, out)
  for (const tool of ['navigate', 'find', 'read_page', 'form_input', 'computer', 'get_page_text']) {
    assert.match(out, new RegExp(`^ +${tool} .* \\d+(\\.\\d)? m?s$`, 'm'))
  }
  assert.match(out, /✔ .*KL-001-\d{4}.*\$113\.00/)
  assert.match(out, /Usage +0 tokens in, 0 out, \d+ model calls/)
  assert.not.match(out, /svc_(live|pair|sess)_/)
  // What it says next works in the installed package, too, which has no scripts of npm.
  assert.not.match(out, /\bnpm (run|start)\b/)

  const folder = /Screenshots +(.+)/.exec(out)?.[1] ?? ''
  try {
    const images = readdirSync(folder)
    assert.ok(images.length >= 2)
    for (const image of images) assert.is(readFileSync(join(folder, image)).readUInt16BE(0), 0xffd8)
  } finally {
    rmSync(dirname(folder), { recursive: true, force: true })
  }
})

test.run()
