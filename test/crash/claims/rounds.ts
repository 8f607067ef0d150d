import { builtOf } from '../../support/built.ts'
import { eventually } from '../../support/eventually.ts'
import { startMongoServer } from '../../support/mongo/start.ts'
import { type Api, newWorkspace } from '../../support/service/api.ts'
import { TestBrowser } from '../../support/service/browser.ts'
import { finished } from '../../support/service/jobs.ts'
import { openJobModel, taskOf } from '../../support/service/model.ts'
import { openService } from '../../support/service.ts'

export interface ClaimRounds {
  /** One line for each round that was wrong. */
  readonly wrong: readonly string[]
  /** How the tasks ended, counted. */
  readonly ended: Readonly<Record<string, number>>
}

/** The rate limit takes ten starts in a minute, and each round sends two. */
const ROUNDS_PER_WORKSPACE = 4
const MOMENTS = ['before', 'during', 'after'] as const

/**
 * `kill -9` between the claim of an Idempotency-Key and the answer, so many times, before, during and after the commit of
 * the task; then the retry. Each key must have started exactly one task. And 100 requests with one key at once.
 */
export async function claimRounds(kind: 'lmdb' | 'mongodb', rounds: number): Promise<ClaimRounds> {
  const mongo = kind === 'mongodb' ? await startMongoServer() : null
  const model = await openJobModel()
  const service = await openService({
    entry: builtOf('test/crash/claims/entry.ts'),
    env: { ...model.env, ...(mongo && { MONGODB_URL: `${mongo.url}/claims` }) },
  })
  const wrong: string[] = []
  const ended: Record<string, number> = {}
  const browsers: TestBrowser[] = []
  let place = await opened()

  async function opened() {
    const { api } = await newWorkspace(service.url)
    const session = await api.pair()
    const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
    browsers.push(browser)
    return { api, session, browser }
  }
  const withText = async (api: Api, task: string) => {
    const { json } = await api.get('/v1/tasks?limit=100')
    return (json.tasks as { id: string; task: string }[]).filter((one) => one.task === task)
  }
  const expectOne = async (
    name: string,
    task: string,
    answers: readonly { status: number; json: { id?: string } }[],
  ) => {
    const found = await withText(place.api, task)
    const ids = new Set(answers.map(({ status, json }) => `${status} ${json?.id}`))
    if (found.length !== 1 || ids.size !== 1 || !ids.has(`201 ${found[0]?.id}`))
      wrong.push(`${name}: ${found.length} tasks, answers ${[...ids]}`)
    for (const { id } of found) {
      const { ended_by } = await finished(place.api, id)
      ended[String(ended_by)] = (ended[String(ended_by)] ?? 0) + 1
    }
  }

  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_PER_WORKSPACE === 0 && round > 0) place = await opened()
    const { api, session, browser } = place
    await browser.registered()
    const moment = MOMENTS[round % MOMENTS.length] as (typeof MOMENTS)[number]
    for (let n = 0; n <= round % MOMENTS.length; n++) {
      const before = service.output.length
      service.signal('SIGUSR2')
      await eventually(() => service.output.slice(before).includes('Armed'), 'armed')
    }
    const task = taskOf({ name: `round ${round}`, steps: 1 })
    const send = () =>
      api.post('/v1/tasks', { task, browser_session_id: session.id }, { 'idempotency-key': `key-${round}` })
    const cut = await send().catch(() => null)
    if (cut !== null) wrong.push(`round ${round}, ${moment}: answered ${cut.status} although it was to die`)
    await service.ended()
    service.spawn()
    await service.answers()
    await browser.registered()
    await expectOne(`round ${round}, ${moment}`, task, [await send(), await send()])
  }

  place = await opened()
  const task = taskOf({ name: 'at once', steps: 1 })
  const { api, session } = place
  const atOnce = () => api.post('/v1/tasks', { task, browser_session_id: session.id }, { 'idempotency-key': 'at-once' })
  await expectOne('100 at once', task, await Promise.all(Array.from({ length: 100 }, atOnce)))

  for (const browser of browsers) browser.disconnect()
  await service.kill()
  await model.endpoint.close()
  await mongo?.kill()
  return { wrong, ended }
}
