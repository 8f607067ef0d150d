import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { calling, openScene, playing } from './scene.ts'

const test = suite('what a side panel starts and says')
const done = { text: 'Done.' }
const looking = calling('find', { query: 'tea' })
const OPTIONS = { approvals: 'always', askUser: false, allowedDomains: ['shop.example'] }

test('[R56] create_task takes what the task may ask and where it may go, and says which field is wrong', async () => {
  const scene = await openScene(playing(done).model)
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, { protocol: 2, tools: ['inputs', 'allowed_domains'] })
  const create = { type: 'create_task', requestId: 'p', task: 'Buy tea', browserSessionId: record.id }
  await peer.says({ ...create, ...OPTIONS, allowedDomains: ['not a site'] })
  assert.match(String((await peer.gets('error')).error), /^Invalid allowedDomains/)
  await peer.says({ ...create, ...OPTIONS, url: 'https://elsewhere.example/' })
  assert.is((await peer.gets('task_error')).error, 'Invalid url')
  await peer.says({ ...create, ...OPTIONS, allowedDomains: ['*.github.io'] })
  assert.match(String((await peer.gets('task_error', 2)).error), /^allowed_domains must not name all below/)
  await peer.says({ ...create, ...OPTIONS })
  const first = await scene.ended(String((await peer.gets('task_started')).taskId))
  assert.equal([first.approvals, first.asksUser, first.allowedDomains], ['always', false, ['shop.example']])

  await peer.says({ ...create, continueTaskId: first.id })
  const second = await scene.ended(String((await peer.gets('task_started', 2)).taskId))
  assert.equal(
    [second.continuesTaskId, second.approvals, second.asksUser, second.allowedDomains],
    [first.id, 'always', false, ['shop.example']],
  )
  await scene.close()
})

test('[R56] only an ended task of its own session is continued', async () => {
  const scene = await openScene(playing(looking).model)
  const { peer, record } = await scene.browser()
  const other = await scene.browser()
  const create = { type: 'create_task', requestId: 'p', task: 'Buy tea', browserSessionId: record.id }
  const foreign = await scene.start(other.record)
  const own = await scene.start(record)
  const refused = async (continueTaskId: string, count: number) => {
    await peer.says({ ...create, continueTaskId })
    return (await peer.gets('task_error', count)).error
  }
  assert.is(await refused(foreign, 1), 'Task not found')
  assert.is(await refused(randomUUID(), 2), 'Task not found')
  assert.is(await refused(own, 3), 'The task is still running. Stop it first')
  await scene.close()
})

test('[R58] create_task takes secrets and uploaded files; their values are in no record, and other files are not given', async () => {
  const VALUE = 'Tr0ub4dor'
  const { model, asked } = playing(calling('form_input', { ref: 'e1', value: '{{secret:password}}' }), done)
  const scene = await openScene(model, null, createSecretBox(randomBytes(32)))
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, { protocol: 2, tools: ['inputs', 'allowed_domains', 'secrets', 'files'] })
  const { workspaceId } = record
  const { taskService } = scene.actors
  const upload = await taskService.uploadFile(
    workspaceId,
    randomUUID(),
    { name: 'a.txt', mediaType: 'text/plain' },
    Buffer.from('a'),
  )
  assert.ok(upload !== 'files_full')
  const secrets = [{ name: 'password', value: VALUE, domains: ['shop.example'] }]
  const create = { type: 'create_task', requestId: 'p', task: 'Buy tea', browserSessionId: record.id }
  await peer.says({ ...create, secrets: [{ ...secrets[0], domains: [] }] })
  const refused = String((await peer.gets('task_error')).error)
  assert.match(refused, /^Invalid secrets\.0\.domains/)
  await peer.says({ ...create, secrets, files: [{ fileId: upload.id }] })
  const id = String((await peer.gets('task_started')).taskId)
  const sent = await peer.gets('mcp_execute_tool')
  assert.equal(sent.secrets, secrets)
  await peer.says({ type: 'tool_result', requestId: sent.requestId, result: `It says ${VALUE}` })
  const ended = await scene.ended(id)
  assert.equal(
    ended.files?.map(({ name }) => name),
    ['a.txt'],
  )
  assert.not.match(JSON.stringify([ended, asked, peer.of('task_update')]), VALUE)
  const [file] = ended.files ?? []
  for (const [count, fileId] of [file?.id, randomUUID()].entries()) {
    await peer.says({ ...create, files: [{ fileId }] })
    const { error } = await peer.gets('task_error', count + 2)
    assert.is(error, 'A file of this task was not found. Attach it again.')
  }
  await scene.close()
})

test('[R58] without a key to encrypt them secrets are refused, and nothing is started', async () => {
  const scene = await openScene(playing(done).model)
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, { protocol: 2, tools: ['secrets'] })
  const secrets = [{ name: 'password', value: 'Tr0ub4dor', domains: ['shop.example'] }]
  await peer.says({ type: 'create_task', requestId: 'p', task: 'Buy tea', browserSessionId: record.id, secrets })
  assert.is((await peer.gets('task_error')).error, 'Secrets cannot be kept: SECRETS_KEY is not set')
  assert.is(scene.actors.taskService.counts().activeTasks, 0)
  await scene.close()
})

test('[R57] a browser that answers inputs is told who holds its task, whoever changes that; another one is not', async () => {
  const scene = await openScene(playing(looking, looking).model)
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, { protocol: 2, tools: ['inputs'] })
  const other = await scene.browser()
  for (const [browser, of] of [
    [peer, record],
    [other.peer, other.record],
  ] as const) {
    const taskId = await scene.start(of)
    await browser.gets('mcp_execute_tool')
    await scene.actors.taskService.pauseTask(of.workspaceId, taskId, true, 'client')
    await browser.says({ type: 'pause_task', requestId: 'p', taskId })
    await browser.gets('task_paused')
    await scene.actors.taskService.pauseTask(of.workspaceId, taskId, false, 'client')
    await browser.says({ type: 'resume_task', requestId: 'r', taskId })
    await browser.gets('task_resumed')
  }
  const told = peer.of('pause_changed').map(({ pausedBy }) => pausedBy)
  assert.equal(told, [['client'], ['client', 'browser'], ['browser'], []])
  assert.is(other.peer.of('pause_changed').length, 0)
  await scene.close()
})

test('[R56] send_message is answered once the task has it; a blank one, and one to another session’s task, are refused', async () => {
  const { model, asked } = playing(looking, done)
  const scene = await openScene(model)
  const { peer, record } = await scene.browser()
  const taskId = await scene.start(record)
  const call = await peer.gets('mcp_execute_tool')
  const say = (fields: object) =>
    peer.says({ type: 'send_message', requestId: 's', taskId, text: 'The green', ...fields })
  await say({ text: ' \n' })
  assert.match(String((await peer.gets('error')).error), /^Invalid text/)
  await say({})
  assert.equal(await peer.gets('message_sent'), {
    type: 'message_sent',
    requestId: 's',
    taskId,
    targetSessionId: record.id,
  })
  const other = await scene.browser()
  await other.peer.says({ type: 'send_message', requestId: 'x', taskId, text: 'No' })
  assert.is((await other.peer.gets('error')).error, 'Task not found')
  await peer.says({ type: 'tool_result', requestId: call.requestId, result: 'ok' })
  await scene.ended(taskId)
  assert.match(JSON.stringify(asked[1]?.messages), 'The green')
  await say({})
  assert.is((await peer.gets('error', 2)).error, 'Task is not running')
  await scene.close()
})

test('[I2] a paused task says who holds it', async () => {
  const scene = await openScene(playing(looking, done).model)
  const { peer, record } = await scene.browser()
  const taskId = await scene.start(record)
  await peer.gets('mcp_execute_tool')
  const heldBy = async () => (await scene.actors.taskService.task(scene.workspaceId, taskId))?.pausedBy
  await scene.actors.taskService.pauseTask(scene.workspaceId, taskId, true)
  await peer.says({ type: 'pause_task', requestId: 'p', taskId })
  await peer.gets('task_paused')
  assert.equal(await heldBy(), ['client', 'browser'])
  await peer.says({ type: 'list_tasks', requestId: 'l' })
  const [listed] = (await peer.gets('tasks')).tasks as { pausedBy: string[] }[]
  assert.equal(listed?.pausedBy, ['client', 'browser'])
  await scene.close()
})

test.run()
