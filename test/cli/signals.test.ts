import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { environment, inFolder, Running, start } from './command.ts'

const test = suite('command line: signals')

const FREE = { HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0' }

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`[D10] ${signal} ends it with exit code 0`, async () => {
    await inFolder(async (DATA_DIR) => {
      const service = start(['serve'], { ...FREE, DATA_DIR })
      await service.said(/Next: /)
      service.child.kill(signal)
      const { code, out } = await service.ended
      assert.is(code, 0)
      assert.match(out, 'Stopped.')
    })
  })
}

test('[D10] the first signal is handled, a second one ends the process at once', async () => {
  const terminal = JSON.stringify(new URL('../../src/cli/interrupt.ts', import.meta.url).href)
  const program = `import { onInterrupt } from ${terminal}
    onInterrupt((signal) => console.log('handled ' + signal))
    setInterval(() => {}, 1_000)
    console.log('ready')`
  const stubborn = new Running(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    environment({}),
  )
  await stubborn.said(/ready/)
  stubborn.child.kill('SIGTERM')
  await stubborn.said(/handled SIGTERM/)
  stubborn.child.kill('SIGINT')
  const { code, out } = await stubborn.ended
  assert.is(code, 1)
  assert.not.match(out, 'handled SIGINT')
})

test('[D10] Ctrl-C of npm start, which reaches the process twice, ends it as gracefully', async () => {
  await inFolder(async (DATA_DIR) => {
    const service = new Running('npm', ['start'], environment({ ...FREE, DATA_DIR }))
    try {
      await service.said(/Next: /)
      process.kill(-(service.child.pid ?? 0), 'SIGINT')
      const { out } = await service.ended
      assert.match(out, 'Stopped.')
    } finally {
      await service.end()
    }
  })
})

test('[Q11] SIGTERM to npm start alone ends the service behind it as well', async () => {
  await inFolder(async (DATA_DIR) => {
    const service = new Running('npm', ['start'], environment({ ...FREE, DATA_DIR }))
    try {
      await service.said(/Next: /)
      // As a supervisor does it: not to the whole group.
      process.kill(service.child.pid ?? 0, 'SIGTERM')
      const { out } = await service.ended
      assert.match(out, 'Stopped.')
    } finally {
      await service.end()
    }
  })
})

test.run()
