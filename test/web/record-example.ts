import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runBrowser } from '../../src/browser/headless.ts'
import { readConfig } from '../../src/config/config.ts'
import { DEMO_SCRIPT, DEMO_TASK } from '../../src/demo/script.ts'
import { openShop } from '../../src/demo/shop.ts'
import { startService } from '../../src/main.ts'
import { openModel } from '../../src/models/open.ts'
import { openLog } from '../../src/observe/log.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'

/**
 * Records the task of `/inspector/example`: runs the demo's task and writes what its replay needs to src/web/static/example.
 * `node --conditions=development --import tsx test/web/record-example.ts`, after the events of a task or the demo have changed.
 */
const FOLDER = fileURLToPath(new URL('../../src/web/static/example/', import.meta.url))
const TASK_MS_MAX = 120_000

/** The card of the demo's task, which this one is given as secrets: no picture has it in clear. */
const CARD = { card_number: '4242 4242 4242 4242', card_expiry: '12/30', card_code: '123' }
const DOMAINS = ['127.0.0.1:4000', 'localhost:4000']
const secrets = Object.entries(CARD).map(([name, value]) => ({ name, value, domains: DOMAINS }))
const byName = (text: string, named: (name: string) => string): string =>
  Object.entries(CARD).reduce((before, [name, value]) => before.replace(value, () => named(name)), text)
const TASK = byName(DEMO_TASK, (name) => `{{secret:${name}}}`)

const folder = tempFolder()
const script = join(folder, 'script.json')
// The task names them, and the script has their names from there.
writeFileSync(
  script,
  byName(readFileSync(DEMO_SCRIPT, 'utf8'), (name) => `{{task:/\\\\S+${name}\\\\S\\\\S/}}`),
)
const config = readConfig({
  ...{ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', BROWSERS: '0', DATA_DIR: join(folder, 'data') },
  ...{ LLM_SCRIPT: script, SECRETS_KEY: randomBytes(32).toString('base64') },
})
const log = openLog({ level: 'silent' })
const service = await startService({ config, log, model: openModel(config.llm, log) })
const shop = await openShop({ port: 4000 })
const api = new Api(service.url, service.firstKey ?? '')
const { json: pairing } = await api.post('/v1/browser-sessions/pair', { label: 'Demo browser' })
const browser = await runBrowser({ serviceUrl: service.url, pairingToken: pairing.pairing_token, log: () => {} })
try {
  const connected = async () => (await api.get('/v1/browser-sessions?status=connected')).json.data[0]
  await eventually(async () => (await connected()) !== undefined, 'a connected browser', TASK_MS_MAX)
  const body = { task: TASK, url: shop.url, secrets, browser_session_id: (await connected()).id }
  const { id } = (await api.post('/v1/tasks', body)).json
  const read = async () => (await api.get(`/v1/tasks/${id}`)).json
  await eventually(async () => (await read()).status !== 'running', 'the end of the task', TASK_MS_MAX)
  const ended = await read()
  if (ended.status !== 'complete') throw new Error(`It ended by ${ended.ended_by}: ${ended.answer}`)
  const headers = { authorization: `Bearer ${service.firstKey}` }
  const traces = async (): Promise<readonly unknown[]> =>
    (await (await fetch(`${service.url}/inspector/traces/${id}`, { headers })).json()) as unknown[]
  await eventually(async () => (await traces()).length > 0, 'the transitions')
  const { data: events } = (await api.get(`/v1/tasks/${id}/events?limit=1000`)).json
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const recorded = { task: await read(), moves: await traces(), events, browser: 'Demo browser' }
  writeFileSync(join(FOLDER, 'task.json'), `${JSON.stringify(recorded)}\n`)
  // Screenshots are counted from 0, pictures by their step.
  const screenshots = events.filter(({ has_screenshot }: { has_screenshot?: boolean }) => has_screenshot).keys()
  const pictures = events.flatMap(({ picture }: { picture?: number }) => picture ?? [])
  for (const number of [...screenshots, ...pictures]) {
    const image = await service.store.image(id, number)
    if (image) writeFileSync(join(FOLDER, `${number}.jpg`), image)
  }
  console.log(`Recorded: ${readdirSync(FOLDER).length} files in ${FOLDER}`)
} finally {
  await browser.close()
  await shop.close()
  await service.stop()
}
