import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { environment, inFolder, ROOT, Running, start } from '../cli/command.ts'
import { installTypescriptClient } from '../clients/packed.ts'
import { freePorts } from '../support/ports.ts'
import { blockOf } from './programs.ts'

const test = suite('the snippets of docs/webhooks.md')

const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')
const SHELL = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands)
const client = await installTypescriptClient()
const { code: RECEIVER } = await transform(blockOf('webhooks', 'receiver.ts'), { loader: 'ts', format: 'esm' })

/** What a block of commands prints: an object of each answer. */
async function shell(commands: string, env: NodeJS.ProcessEnv): Promise<Record<string, never>[]> {
  const running = new Running(
    'bash',
    ['-ec', `${commands.replaceAll(/^curl/gm, 'echo; curl')}\necho; echo THE END`],
    env,
  )
  try {
    await running.said(/THE END/)
    return running.out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  } finally {
    await running.end()
  }
}

test('[W10–W17] they work as written; a service that is killed while the receiver is down delivers all the same [W12]', async () => {
  await inFolder(async (folder) => {
    const [http = '', relay = '', port = ''] = (await freePorts(3)).map(String)
    const settings = { PORT: http, RELAY_PORT: relay, HOST: '127.0.0.1', DATA_DIR: join(folder, 'data') }
    const serve = () => start(['serve'], settings)
    let service = serve()
    const others: Running[] = []
    try {
      await service.said(/Next: /)
      const KEY = /svc_live_[0-9a-f]{48}/.exec(service.out)?.[0] ?? ''
      const env = environment({ SERVICE: `http://127.0.0.1:${http}`, KEY, RECEIVER: `http://127.0.0.1:${port}/hooks` })
      const [created] = await shell(blockOf('webhooks', 'create.sh'), env)
      assert.match(String(created?.secret), /^whsec_/)
      const known = { ...env, ENDPOINT: String(created?.id) }

      // The receiver is down, and the service is killed after its first attempt.
      const tried = 'curl -s -X POST $SERVICE/v1/webhook-endpoints/$ENDPOINT/test -H "Authorization: Bearer $KEY"'
      const [pending] = await shell(tried, known)
      assert.is(pending?.status, 'pending')
      process.kill(-(service.child.pid ?? 0), 'SIGKILL')
      await service.ended
      writeFileSync(join(client.folder, 'receiver.mjs'), RECEIVER)
      const receiver = new Running('node', [join(client.folder, 'receiver.mjs')], {
        ...environment({ WEBHOOK_SECRET: String(created?.secret), PORT: port }),
      })
      others.push(receiver)
      service = serve()
      await receiver.said(/webhook\.test/)

      const log = 'sleep 1; curl -s $SERVICE/v1/webhook-deliveries/$DELIVERY -H "Authorization: Bearer $KEY"'
      const [delivered] = await shell(log, { ...known, DELIVERY: String(pending?.id) })
      assert.equal([delivered?.status, delivered?.message_id], ['delivered', pending?.message_id])

      const [failed, enabled, recovered] = await shell(SHELL[0] ?? '', known)
      assert.equal([failed?.deliveries, enabled?.disabled, recovered], [[], false, { recovered: 0 }])
      const [again, rotated] = await shell(SHELL[1] ?? '', known)
      assert.is(again?.type, 'webhook.test')
      assert.match(String(rotated?.secret), /^whsec_/)
      // Signed by both secrets, so the receiver with the former one still prints it.
      await shell(tried, known)
      await receiver.said(/webhook\.test\n[\s\S]*webhook\.test\n[\s\S]*webhook\.test/)
    } finally {
      await Promise.all([service.end(), ...others.map((each) => each.end())])
    }
  })
})

test.run()
