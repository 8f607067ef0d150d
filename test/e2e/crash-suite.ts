import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { type CallResult, TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, lastResults, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

/** `kill -9` of the real process in the middle of a task, on one store. */
export async function crashes(store: 'lmdb' | 'mongodb') {
  const test = suite(`kill -9 in mid-task: ${store}`)
  const mongo: MongoServer | null = store === 'mongodb' ? await startMongoServer() : null
  const model = await openJobModel()
  const service = await openService({ env: { ...model.env, ...(mongo && { MONGODB_URL: `${mongo.url}/crash` }) } })
  const { api } = service
  const browsers: TestBrowser[] = []

  /** A browser of a session of its own. */
  async function opened(protocol: 1 | 2, answer: () => CallResult) {
    const session = await api.pair()
    const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, protocol, answer })
    browsers.push(browser)
    return { session, browser }
  }
  const onceEach = (browser: TestBrowser, calls: number) =>
    assert.equal(
      [...browser.executed.values()],
      Array.from({ length: calls }, () => 1),
    )
  async function crash(browser: TestBrowser) {
    await service.kill()
    service.spawn()
    await service.answers()
    await browser.registered()
  }

  test('[D2 D7] a task that was thinking asks its model again and completes', async () => {
    const { session, browser } = await opened(2, () => ({}))
    const job = { name: 'thinking', steps: 2, ms: 500 }
    const before = model.endpoint.requests.length
    const id = await started(api, session.id, job)
    await eventually(() => model.endpoint.requests.length > before, 'the model is asked')
    await crash(browser)
    const task = await finished(api, id)
    assert.equal([task.status, task.answer, task.steps], ['complete', answerOf(job), 3])
    onceEach(browser, 2)
  })

  test('[D7 D8 R39] a call that ran during the crash is executed once, its result sent again', async () => {
    const { session, browser } = await opened(2, () => ({ output: 'ran through', ms: 300 }))
    const job = { name: 'running', steps: 3 }
    const id = await started(api, session.id, job)
    await eventually(() => browser.calls.length === 2, 'the second call')
    await crash(browser)
    const task = await finished(api, id)
    assert.equal([task.status, task.answer, task.steps], ['complete', answerOf(job), 4])
    onceEach(browser, 3)
    assert.not.match(lastResults(model.endpoint), /unknown/)
  })

  test('[D8 R40] a call that the browser never saw is sent again under its id', async () => {
    const { session, browser } = await opened(2, () => ({ ms: 20 }))
    const job = { name: 'unseen', steps: 2 }
    browser.deaf = true
    const id = await started(api, session.id, job)
    await eventually(async () => (await api.task(id)).state === 'acting', 'acting')
    await service.kill()
    browser.deaf = false
    service.spawn()
    await service.answers()
    const task = await finished(api, id)
    assert.equal([task.status, task.answer], ['complete', answerOf(job)])
    onceEach(browser, 2)
    assert.not.match(lastResults(model.endpoint), /unknown/)
  })

  test('[D9] with protocol 1 the model reads that the outcome is unknown, and nothing is repeated', async () => {
    let first = true
    const { session, browser } = await opened(1, () => {
      const result: CallResult = first ? 'never' : {}
      first = false
      return result
    })
    const job = { name: 'forgetful', steps: 2 }
    const id = await started(api, session.id, job)
    await eventually(() => browser.calls.length === 1, 'the first call')
    await crash(browser)
    const task = await finished(api, id)
    assert.equal([task.status, task.answer], ['complete', answerOf(job)])
    onceEach(browser, 2)
    assert.match(
      lastResults(model.endpoint),
      /the outcome of this call is unknown.*Look at the page before you repeat it/,
    )
    const { json } = await api.get(`/v1/tasks/${id}/steps`)
    const outputs = json.steps.filter(({ status }: { status: string }) => status === 'tool_result')
    assert.match(outputs[0].output, /unknown/)
  })

  test('[T33 D3] what had ended is the same after the crash, and new tasks run', async () => {
    const { json: before } = await api.get('/v1/tasks')
    const { session, browser } = await opened(2, () => ({}))
    await crash(browser)
    const { json: after } = await api.get('/v1/tasks')
    assert.equal(after, before)
    assert.is((await finished(api, await started(api, session.id, { name: 'new', steps: 1 }))).status, 'complete')
  })

  test.after(async () => {
    for (const browser of browsers) browser.disconnect()
    await service.kill()
    await model.endpoint.close()
    await mongo?.kill()
  })
  test.run()
}
