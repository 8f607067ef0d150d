import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { freePorts } from '../support/ports.ts'
import { environment, inFolder, ROOT, Running } from './command.ts'
import { suiteWithBrowser } from './with-browser.ts'

const test = suiteWithBrowser('README')

/** What the demo's script answers to the question of docs/start.md and docs/sdk.md. */
const ANSWER = 'It costs $48.50. (scripted)'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The commands of a terminal, all its blocks together. */
function terminal(number: number): string {
  const blocks = [...README.matchAll(/^```sh terminal=(\d)\n(.*?)^```$/gms)]
  return blocks
    .filter(([, terminal]) => terminal === String(number))
    .map(([, , commands]) => commands)
    .join('\necho\n')
}

/** The block of a page of the docs that is a file of this name, else those in a language. */
const blocks = (page: string, pattern: RegExp): string[] =>
  [...readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8').matchAll(/^```(\w+ ?\S*)\n(.*?)^```$/gms)]
    .filter(([, name = '']) => pattern.test(name))
    .map(([, , text = '']) => text)

/** A program of a page as a command of the shell that goes on. */
const program = (text: string): string => `node --input-type=module <<'PROGRAM'\n${text}\nPROGRAM\n`

/** What a reader runs of README, then of docs/start.md and of docs/sdk.md, in this order in one shell. */
const pages = (): string =>
  [
    terminal(2),
    // Python is not on every machine, and has tests of its own.
    ...blocks('start', /^sh setup\.sh$/).map((text) => text.replace(/^pip .*$/m, '')),
    `STARTED=$(${blocks('start', /^sh start\.sh$/)
      .join('')
      .trimEnd()})`,
    `echo "$STARTED"`,
    `TASK=$(node -p 'JSON.parse(process.argv[1]).id' "$STARTED") SEQ=0`,
    ...blocks('start', /^sh wait\.sh$/),
    ...blocks('start', /^ts start\.ts$/).map(program),
    ...blocks('sdk', /^sh install\.sh$/).map((text) => text.replace(/^pip .*$/m, '')),
    ...blocks('sdk', /^js$/).map(program),
    ...blocks('sdk', /^sh cli\.sh$/),
  ].join('\necho\n')

test('README, then docs/start.md and docs/sdk.md do what they say, in one shell, as they are written', async () => {
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
    const here = (commands: string) => commands.replaceAll('3456', http).replaceAll('4000', shop)
    const service = new Running('bash', ['-ec', here(terminal(1))], env)
    try {
      await service.said(/Next: /)
      assert.match(service.out, /svc_live_[0-9a-f]{48}/)
      const reader = `cd ${folder}; npx() { (cd ${ROOT} && command npx "$@"); }\n${here(pages())}\necho; echo THE END; wait`
      const commands = new Running('bash', ['-ec', reader], env)
      try {
        await commands.said(/THE END/, 110_000)
        const { out, err } = commands
        // Its answer alone, on one line of a size to read.
        assert.match(out, /^.{0,200}KL-001-\d{4}.*\$113\.00.{0,100}$/m)
        const [task, waited] = out.split('\n').flatMap(jsonIn)
        assert.equal([task?.status, task?.answer, waited?.id], ['complete', ANSWER, task?.id])
        // Each of the programs ends well, and no key of a request is used twice.
        assert.is(out.match(/^complete\b/gm)?.length, 3, out + err)
        // Start, wait and four programs.
        assert.is(out.split('\n').filter((line) => line.includes(ANSWER)).length, 6, out + err)
        assert.not.match(out + err, /idempotency|BrowserTaskError/i)
        const page = await (await fetch(`http://127.0.0.1:${http}/dashboard`)).text()
        const [, label = ''] = /choose \*([^*]+)\*/.exec(README) ?? []
        assert.ok(label !== '' && page.includes(label), 'README names what the sign-in page says')
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
