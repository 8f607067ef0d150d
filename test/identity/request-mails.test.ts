import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../actors/task-service.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Mail, openMail } from '../../src/identity/mail.ts'
import { createMailWishes, openNeedsYou } from '../../src/identity/request-mails.ts'
import { startService } from '../../src/main.ts'
import { aTask, THEN, tempFolder } from '../support/stores.ts'
import { Browser, openLmdb, SILENT } from './world.ts'

const test = suite('e-mail about tasks that need a person')
const MINUTE = 60_000
const WORKSPACE = randomUUID()

const { store, close } = await openLmdb()
test.after(close)
for (const id of ['owner', 'viewer', 'silent'])
  await store.authTables.insert('user', { id, email: `${id}@example.com` })
await store.workspaces.insert({
  ...{ id: WORKSPACE, name: 'w', plan: 'free', members: ['owner', 'viewer', 'silent'], createdAt: THEN },
  roles: { viewer: 'viewer' },
})
const wishes = createMailWishes(store.authTables)
for (const id of ['owner', 'viewer']) await wishes.set(id, true)

const asking = (id: string, kind: 'question' | 'approval' | 'takeover' = 'question'): TaskView => ({
  ...aTask({ workspaceId: WORKSPACE, task: `Order tea ${'x'.repeat(200)}\nand a password of mine` }),
  state: 'waitingForInput',
  inputRequest: { id, kind, message: 'a text of the page', schema: null, call: null, expiresAt: THEN + 600_000 },
})

/** One process: what it writes, and its clock. */
function opened(tasks: () => readonly TaskView[], owns = () => true) {
  const letters: Mail[] = []
  const clock = { at: THEN, now: () => clock.at }
  const { look, close } = openNeedsYou({
    taskService: { tasks: async ({ status }) => (status === 'running' ? [...tasks()] : []) },
    ...{ store, tables: store.authTables, clock, log: SILENT, origin: 'https://svc.test', owns },
    mail: Object.assign((letter: Mail) => void letters.push(letter), { isSent: true }),
  })
  close()
  return { letters, clock, look }
}

test('[P43] one e-mail for each request that has waited for a minute, to who wants it and may act, with a link alone', async () => {
  let task = asking('r-1')
  const { letters, clock, look } = opened(() => [task])
  await look()
  clock.at += MINUTE - 1
  await look()
  assert.equal(letters, [])
  clock.at += 1
  await look()
  await look()
  assert.equal(
    letters.map(({ to, subject, link }) => [to, subject, link]),
    [['owner@example.com', 'A task needs you', `https://svc.test/dashboard/tasks/${task.id}?workspace=${WORKSPACE}`]],
  )
  assert.match(letters[0]?.text ?? '', /^“Order tea x+…” asks a question, /)
  assert.not.match(letters[0]?.text ?? '', /text of the page|password/)

  task = {
    ...task,
    inputRequest: { ...asking('r-2', 'approval').inputRequest } as TaskView['inputRequest'],
  } as TaskView
  await look()
  clock.at += MINUTE
  await look()
  assert.is(letters.length, 2)
  assert.match(letters[1]?.text ?? '', 'asks for your approval')
})

test('[P43] a request that is answered within a minute, or asked at another node, is written about by nobody here', async () => {
  let tasks = [asking('r-3')]
  const here = opened(() => tasks)
  const elsewhere = opened(
    () => [asking('r-4')],
    () => false,
  )
  for (const each of [here, elsewhere]) await each.look()
  tasks = []
  for (const each of [here, elsewhere]) {
    each.clock.at += MINUTE
    await each.look()
    assert.equal(each.letters, [])
  }
})

test('[P43] a service that starts again does not write again about the same request', async () => {
  const task = asking('r-5')
  const first = opened(() => [task])
  await first.look()
  first.clock.at += MINUTE
  await first.look()
  assert.is(first.letters.length, 1)
  const second = opened(() => [task])
  await second.look()
  second.clock.at += MINUTE
  await second.look()
  assert.equal(second.letters, [])
})

test('[P43] many tasks that ask at once: twenty e-mails an hour', async () => {
  const tasks = Array.from({ length: 30 }, () => asking(randomUUID()))
  const { letters, clock, look } = opened(() => tasks)
  await look()
  clock.at += MINUTE
  await look()
  assert.is(letters.length, 20)
})

test('[A31] [A27] nothing says that an e-mail was sent which only the log of the service has', () => {
  const mail = { url: 'smtp://127.0.0.1:1', from: 'a@example.com' }
  const isSent = (given: Parameters<typeof openMail>[0]) => openMail(given, SILENT)?.isSent
  assert.equal(
    [
      { mail: null, production: false },
      { mail: null, production: true },
      { mail, production: true },
    ].map(isSent),
    [false, undefined, true],
  )
})

test('[P43] [A27] a person turns it on and off; without a mail server nothing is said to be sent', async () => {
  const env = { HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() }
  const service = await startService({ config: readConfig(env), log: SILENT })
  try {
    const person = new Browser(service.url)
    await person.signUp('olga@example.com')
    const me = (await (await person.send('/v1/me')).json()) as { workspace: { id: string } }
    const workspace = me.workspace.id
    const path = '/v1/account/notifications'
    assert.equal((await person.api('GET', path, { workspace })).json, { email: false, can_send: false })
    const invited = await person.api('POST', '/v1/invitations', { workspace, email: 'pia@example.com', role: 'viewer' })
    assert.equal([invited.status, invited.json.sent], [201, false])
    for (const email of [true, true, false]) {
      const { status, json } = await person.api('PATCH', path, { workspace, email })
      assert.equal([status, json.email], [200, email])
    }
    assert.is((await person.api('PATCH', path, { workspace, email: 'yes' })).status, 400)
    assert.equal((await person.api('GET', path, { workspace })).json.email, false)
  } finally {
    await service.stop()
  }
})

test.run()
