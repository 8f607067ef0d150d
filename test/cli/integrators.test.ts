import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { environment, Running, run } from './command.ts'

const test = suite('command line: for scripts')
const folder = tempFolder()
const script = join(folder, 'script.json')
const finish = { tool: 'finish', input: { success: true, answer: 'It costs 48.', output: { price: 48 } } }
const opens = { when: '^Open', steps: [{ tool: 'navigate', input: { url: 'https://shop.example/' } }, finish] }
writeFileSync(script, JSON.stringify({ scripts: [opens, { steps: [{ tool: 'get_page_text' }, finish] }] }))
const service = await openService({ env: { LLM_SCRIPT: script } })
const session = await service.api.pair()
const answer = () => ({ output: 'Kyoto teapot €48.00' })
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
const asked = ['--service', service.url, '--key', service.key]
const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const schema = join(folder, 'price.json')
writeFileSync(
  schema,
  JSON.stringify({ type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }),
)

test('[Z10] [Z13] profiles are created, listed, signed in to and deleted by command', async () => {
  const profiles = async (...args: string[]) => {
    const { code, out, err } = await run(['profiles', ...args, ...asked])
    return `${code} ${out}${err}`
  }
  assert.match(await profiles('create', 'acme'), /^0 Profile .*acme/)
  assert.match(await profiles('create', 'acme'), 'has a profile of this name already')
  assert.match(await profiles('list'), '0 acme  never saved')
  assert.match(await profiles('sign-in', 'acme', 'https://acme.example/', '--pool', 'none'), 'No browser of this pool')
  assert.match(await profiles('delete', 'acme'), '0 Deleted.')
  assert.is((await profiles('list')).trim(), '0')
})

test('[Q16] [Q17] run --json prints the task alone; tasks list, get and events print it again', async () => {
  const data = ['--json', '--schema', schema, '--input', 'city=Berlin', '--metadata', 'order=4711']
  const { code, out, err } = await run(['run', 'What does it cost in {{city}}?', ...data, ...asked])
  assert.equal([code, err], [0, ''])
  const [task] = lines(out)
  assert.equal([task.status, task.output, task.metadata], ['complete', { price: 48 }, { order: '4711' }])
  assert.equal([task.task, task.request.inputs], ['What does it cost in Berlin?', { city: 'Berlin' }])
  assert.equal(lines((await run(['tasks', 'list', '--metadata', 'order=4711', ...asked])).out)[0].id, task.id)
  assert.is(lines((await run(['tasks', 'get', task.id, ...asked])).out)[0].answer, task.answer)
  const events = lines((await run(['tasks', 'events', task.id, ...asked])).out)
  assert.equal([events[0].type, events.at(-1).type], ['task.created', 'task.ended'])
  for (const wrong of [
    ['--schema', 'nowhere.json'],
    ['--metadata', 'order'],
  ])
    assert.is((await run(['run', 'x', '--json', ...wrong, ...asked])).code, 2)
})

test('[Q20] [J14] recipes are listed, shown in words, exported, disabled and deleted; a task says how it used one', async () => {
  const done = async (...args: string[]) => {
    const { code, out, err } = await run([...args, ...asked])
    assert.equal([code, err], [0, ''])
    return out
  }
  assert.match(await done('recipes', 'list'), 'No recipes yet')
  assert.match(await done('run', 'Open the shop', '--recipe', 'auto'), 'made: ')
  const [recipe] = lines(await done('recipes', 'list', '--json'))
  assert.is(recipe.task, 'Open the shop')
  assert.match(await done('recipes', 'list'), /Open the shop +0/)
  assert.match(await done('recipes', 'show', recipe.id), '  1. open "https://shop.example/"')
  assert.match(await done('recipes', 'export', recipe.id), 'await page.goto("https://shop.example/")')
  await done('recipes', 'disable', recipe.id)
  assert.match(await done('recipes', 'show', recipe.id), 'disabled')
  await done('recipes', 'enable', recipe.id)
  assert.is(JSON.parse(await done('recipes', 'show', recipe.id, '--json')).disabled, false)
  await done('recipes', 'delete', recipe.id)
  assert.is((await run(['recipes', 'show', recipe.id, ...asked])).code, 2)
})

test('[Q18] webhooks listen sends what happens to this machine, signed with the secret that it prints', async () => {
  const received: { headers: Record<string, string>; body: string }[] = []
  const hooks = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) })
    response.end()
  })
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hooks`
  const args = ['webhooks', 'listen', '--forward-to', url, '--types', 'task.ended', ...asked]
  const listening = new Running(process.execPath, [ENTRY, ...args], environment({}))
  try {
    const [secret] = await listening.said(/whsec_\S+/)
    const { json } = await service.api.start(session.id, 'What does it cost?')
    await eventually(() => received.length > 0, 'the webhook to come')
    const [{ headers, body } = { headers: {}, body: '' }] = received
    const event = new Webhook(secret).verify(body, headers) as { type: string; data: { task_id: string; id: string } }
    assert.equal([event.type, event.data.task_id, event.data.id], ['task.ended', json.id, headers['webhook-id']])
  } finally {
    await listening.end()
    hooks.close()
  }
})

test('[Q19] completion prints a script that bash understands', async () => {
  const { code, out } = await run(['completion', 'bash'])
  assert.is(code, 0)
  const asks = `${out}\nCOMP_WORDS=(browser-task-service web); COMP_CWORD=1; _browser_task_service; echo "\${COMPREPLY[@]}"`
  assert.is(execFileSync('bash', ['-c', asks], { encoding: 'utf8' }).trim(), 'webhooks')
  for (const shell of ['zsh', 'fish']) assert.match((await run(['completion', shell])).out, 'webhooks')
  assert.is((await run(['completion', 'csh'])).code, 2)
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
})
test.run()
