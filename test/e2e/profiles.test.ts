import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { openSignInSite } from '../support/sign-in-site.ts'
import { tempFolder } from '../support/stores.ts'

const test = suiteWithBrowser('profiles, with the running service')

const MARKS = ['cookie-mark-7f3a91c2', 'storage-mark-5b8e20d4'] as const
const TASKS = 10

/** Everything in a folder, in one text. */
const contentsOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

test('[Z10] [Z11] [Z12] [Z13] [R59] a person signs in with a one-time code over the live view; ten tasks are signed in, over a restart; no value is anywhere', async () => {
  const site = await openSignInSite(MARKS)
  const file = join(tempFolder(), 'script.json')
  const open = { tool: 'navigate', input: { url: `${site.origin}/account` } }
  const scripts = [
    { when: 'Who am I', think_ms: 0, steps: [open, { tool: 'get_page_text', input: {} }, { answer: 'Read.' }] },
  ]
  writeFileSync(file, JSON.stringify({ scripts }))
  const service = await openService({ env: { LLM_SCRIPT: file, BROWSERS: '1', LOG_LEVEL: 'trace' } })
  allowManyStarts(service, 'running_tasks=20')
  const { api } = service
  const answers: unknown[] = []
  const get = async (path: string) => {
    const { json } = await api.get(path)
    answers.push(json)
    return json
  }
  try {
    const profile = (await api.post('/v1/profiles', { name: 'acme' })).json
    assert.equal([profile.name, profile.saved_at], ['acme', null])
    const signIn = await api.post('/v1/profiles/acme/sign-in', { url: `${site.origin}/login` })
    assert.is(signIn.status, 201, JSON.stringify(signIn.json))
    const { id } = signIn.json
    await eventually(async () => (await api.task(id)).state === 'waitingForInput', 'the question to the person', 30_000)

    // The person looks, clicks and types.
    const stop = new AbortController()
    const live = await fetch(`${service.url}/v1/tasks/${id}/live`, {
      headers: { authorization: `Bearer ${service.key}` },
      signal: stop.signal,
    })
    let pictures = ''
    const reading = (async () => {
      for await (const chunk of live.body ?? []) pictures += new TextDecoder().decode(chunk as Uint8Array)
    })().catch(() => {})
    await eventually(() => pictures.includes('"jpeg":"/9j/'), 'a picture of the page', 20_000)
    const does = async (...events: object[]) => {
      const { status, json } = await api.post(`/v1/tasks/${id}/live/input`, { events })
      assert.is(status, 202, JSON.stringify(json))
    }
    const at = (x: number, y: number) => [
      { type: 'mouse', action: 'move', x, y },
      { type: 'mouse', action: 'down', x, y },
      { type: 'mouse', action: 'up', x, y },
    ]
    await does(...at(0.5, 0.15), { type: 'text', text: site.password }, ...at(0.5, 0.4))
    await eventually(() => site.code !== null, 'the site sends its code', 10_000)
    const { code } = site
    await new Promise((resolve) => setTimeout(resolve, 500))
    await does(...at(0.5, 0.15), { type: 'text', text: code }, { type: 'key', key: 'Enter' })
    const request = (await api.get(`/v1/tasks/${id}`)).json.input_request
    await eventually(
      async () => {
        const before = pictures.length
        await new Promise((resolve) => setTimeout(resolve, 700))
        return pictures.length === before
      },
      'the page is still',
      20_000,
    )
    const done = await api.post(`/v1/tasks/${id}/inputs/${request?.id}`, { action: 'accept' })
    assert.is(done.status, 200, JSON.stringify(done.json))
    const ended = await finished(api, id)
    assert.equal([ended.status, ended.answer], ['complete', 'Signed in. The profile is being saved.'])
    await eventually(
      async () => (await api.get('/v1/profiles/acme')).json.saved_at !== null,
      'the profile is saved',
      10_000,
    )
    stop.abort()
    await reading

    await service.stop()
    service.spawn()
    await service.answers()

    const start = async () => {
      const { status, json } = await api.post('/v1/tasks', {
        task: 'Who am I',
        browser: { pool: 'default', profile: 'acme', save: false },
        on_away: 'wait',
      })
      assert.is(status, 201, JSON.stringify(json))
      assert.equal(json.request.browser, { pool: 'default', profile: profile.id, save: false })
      return json.id as string
    }
    const ids = await Promise.all(Array.from({ length: TASKS }, start))
    for (const each of ids) {
      assert.is((await finished(api, each, 60_000)).status, 'complete')
      const task = await get(`/v1/tasks/${each}`)
      assert.match(JSON.stringify(task.turns), 'Signed in as Ann, with storage')
    }

    // What the service keeps, says and shows has none of it: neither what was typed nor what was saved.
    await get(`/v1/tasks/${id}`)
    await get(`/v1/tasks/${id}/steps`)
    await get(`/v1/tasks/${id}/events`)
    await get('/v1/profiles')
    await get('/v1/profiles/acme')
    const audit = await get('/v1/audit?limit=100')
    const actions = audit.data.map(({ action }: { action: string }) => action)
    for (const action of ['createProfile', 'signIntoProfile', 'saveProfile', 'useProfile'])
      assert.ok(actions.includes(action), action)
    const inspected = await fetch(`${service.url}/dashboard/inspector`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    await service.stop()
    const seen = {
      answers: JSON.stringify(answers),
      pages: `${await inspected.text()}${metrics}`,
      output: service.output,
      store: contentsOf(service.dataDir),
    }
    assert.match(seen.store, 'Signed in as Ann', 'the store can be read so')
    for (const [where, text] of Object.entries(seen))
      for (const secret of [...MARKS, site.password, `"${code}"`])
        assert.not(text.includes(secret), `${secret} is in ${where}`)
  } finally {
    await service.kill().catch(() => {})
    await site.close()
  }
})

await test.run()
