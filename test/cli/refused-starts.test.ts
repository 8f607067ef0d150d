import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ended, inFolder, run } from './command.ts'

const test = suite('command line: starts that are refused')

const FREE = { HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0' }

/** The start ended with one line that names what is wrong. */
function refused({ code, out, err }: Ended, said: RegExp): void {
  assert.is(code, 1)
  assert.match(err, said)
  assert.is(err.trimEnd().split('\n').length, 1, err)
  assert.not.match(out + err, /^\s+at /m)
  assert.not.match(out, 'HTTP ')
}

test('[N8] a setting that does not parse is named', async () => {
  await inFolder(async (DATA_DIR) => {
    const withSetting = (setting: Record<string, string>) => run(['serve'], { ...FREE, DATA_DIR, ...setting })
    refused(await withSetting({ PORT: 'http' }), /^PORT "http" is not valid/)
    refused(await withSetting({ LOG_LEVEL: 'loud' }), /^LOG_LEVEL "loud" is not valid/)
    refused(await withSetting({ WEBHOOK_ALLOW_PRIVATE: 'perhaps' }), /^WEBHOOK_ALLOW_PRIVATE "perhaps" is not valid/)
    refused(await withSetting({ LLM_SCRIPT: join(DATA_DIR, 'none.json') }), /^LLM_SCRIPT .*none\.json cannot be read/)
  })
})

test('[N10] a port in use is named, for HTTP and for the relay', async () => {
  await inFolder(async (DATA_DIR) => {
    const taken = createServer()
    await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening))
    const address = taken.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    try {
      refused(await run(['serve'], { ...FREE, DATA_DIR, PORT: port }), new RegExp(`^Port ${port} .* in use`))
      refused(await run(['serve'], { ...FREE, DATA_DIR, RELAY_PORT: port }), new RegExp(`^Port ${port} .* in use`))
    } finally {
      taken.close()
    }
  })
})

test('[N10] a data folder that cannot be written is named, by serve and by keys', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const below = { DATA_DIR: join(file, 'data') }
    refused(await run(['serve'], { ...FREE, ...below }), /file\/data.* cannot be written/)
    // [Q3] Commands beside the service make no folder: there is none to write to.
    refused(await run(['keys', 'list'], below), /There is no store in .*file\/data/)
    // A folder in the place of the store's file cannot be written, whoever runs this test.
    const DATA_DIR = join(folder, 'odd')
    mkdirSync(join(DATA_DIR, 'store.mdb'), { recursive: true })
    refused(await run(['serve'], { ...FREE, DATA_DIR }), /odd cannot be written/)
    refused(await run(['keys', 'list'], { DATA_DIR }), /odd cannot be written/)
    // A file system that takes no folders: Node's own recursive mkdir would try for ever.
    if (process.platform === 'linux')
      refused(await run(['serve'], { ...FREE, DATA_DIR: '/proc/none/data' }), /none\/data cannot be written/)
  })
})

test.run()
