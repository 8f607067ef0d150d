import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { freePorts } from '../support/ports.ts'
import { environment, inFolder, ROOT, Running } from './command.ts'
import { suiteWithBrowser } from './with-browser.ts'

const test = suiteWithBrowser('README')

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The commands of a terminal, all its blocks together. */
function terminal(number: number): string {
  const blocks = [...README.matchAll(/^```sh terminal=(\d)\n(.*?)^```$/gms)]
  return blocks
    .filter(([, terminal]) => terminal === String(number))
    .map(([, , commands]) => commands)
    .join('\necho\n')
}

test('the quick start does what it says, as it is written', async () => {
  await inFolder(async (folder) => {
    const [http = '', relay = '', shop = ''] = (await freePorts(3)).map(String)
    const env = environment({
      PORT: http,
      RELAY_PORT: relay,
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'data'),
      // What npm keeps about this folder is no part of the test.
      npm_config_cache: join(folder, 'npm'),
    })
    // Only the ports are others: the default ones may be in use here.
    const script = (number: number) => terminal(number).replaceAll('3456', http).replaceAll('4000', shop)
    const open = (number: number) => new Running('bash', ['-ec', script(number)], env)

    const service = open(1)
    try {
      await service.said(/Next: /)
      assert.match(service.out, /svc_live_[0-9a-f]{48}/)
      const commands = new Running('bash', ['-ec', `${script(2)}\necho; echo THE END; wait`], env)
      try {
        await commands.said(/THE END/)
        const { out } = commands
        assert.match(out, /KL-001-\d{4}.*\$113\.00/)
        const [task] = out.split('\n').flatMap(jsonIn)
        assert.equal([task?.status, task?.success], ['complete', true])
        assert.match(String(task?.answer), /KL-001-\d{4}.*\$113\.00/)
      } finally {
        await commands.end()
      }
    } finally {
      await service.end()
    }
  })
})

/** The objects of a line: answers of curl follow each other without a line break. */
function jsonIn(line: string): Record<string, unknown>[] {
  if (!line.startsWith('{')) return []
  const parts = line.replaceAll('}{', '}\n{').split('\n')
  return parts.map((part) => JSON.parse(part))
}

test.run()
