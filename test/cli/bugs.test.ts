import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { environment, inFolder, Running } from './command.ts'

const test = suite('command line: bugs')

test('[D10] a bug ends a process whose store is just written, once its log is written out', async () => {
  await inFolder(async (DATA_DIR) => {
    const at = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
    const program = `import { dieOfBugs, killAtExit } from ${at('cli/terminal.ts')}
      import { LmdbFile } from ${at('stores/lmdb/database.ts')}
      const file = new LmdbFile(process.env.DATA_DIR + '/x.mdb')
      const table = file.table('x')
      dieOfBugs(() => {
        console.log('recorded')
        killAtExit()
      })
      process.on('exit', () => console.log('written out'))
      void file.transact(() => {
        table.put('a', 1)
        process.emit('uncaughtException', new Error('a bug'), 'uncaughtException')
      })`
    const dying = new Running(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program],
      environment({ DATA_DIR }),
    )
    const late = setTimeout(() => dying.child.kill('SIGINT'), 8_000)
    try {
      const { out, err } = await dying.ended
      assert.is(dying.child.signalCode, 'SIGKILL')
      assert.match(err, 'a bug')
      assert.is(out, 'recorded\nwritten out\n')
    } finally {
      clearTimeout(late)
      dying.child.kill('SIGKILL')
    }
  })
})

test.run()
