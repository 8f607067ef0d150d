import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { environment, inFolder } from '../cli/command.ts'
import { install, NAME } from '../cli/install.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'

const test = suiteWithBrowser('the demo of the packed tarball')

test('[Q7 Q14] the demo runs from the packed tarball in an empty folder', async () => {
  await inFolder(async (folder) => {
    install(folder)
    const child = spawn(process.execPath, [join('node_modules', '.bin', NAME), 'demo'], {
      cwd: folder,
      env: environment({ TMPDIR: folder }),
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
    const [code] = await once(child, 'close')
    assert.is(code, 0, text)
    assert.match(text, /✔ .*KL-001-\d{4}.*\$113\.00/)
  })
})

test.run()
