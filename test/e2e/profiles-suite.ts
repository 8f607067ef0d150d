import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { allowManyStarts, openService, type TestService } from '../support/service.ts'
import { openSignInSite, type SignInSite } from '../support/sign-in-site.ts'
import { tempFolder } from '../support/stores.ts'

const MARKS = ['cookie-mark-7f3a91c2', 'storage-mark-5b8e20d4'] as const
const TASKS = 10

/** Everything in a folder, in one text. */
const contentsOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

/** What a person has done, and which pages they saw. */
export interface SignedIn {
  /** Of the task. */
  readonly id: string
  readonly profileId: string
  /** The one-time code. */
  readonly code: string
  /** The pages of the service that show the task, once it has ended. */
  pages(): Promise<readonly string[]>
}

/** `signIn`: the person creates the profile acme, signs in for it, and says that it is done. */
export async function profiles(
  how: string,
  signIn: (service: TestService, site: SignInSite) => Promise<SignedIn>,
  close = async (): Promise<void> => {},
): Promise<void> {
  const test = suiteWithBrowser('profiles, with the running service')
  test.after(close)

  test(`[Z10] [Z11] [Z12] [Z13] [R59] a person signs in with a one-time code over the live view, ${how}; ten tasks are signed in, over a restart; no value is anywhere`, async () => {
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
      const signedIn = await signIn(service, site)
      const { id, profileId, code } = signedIn
      const ended = await finished(api, id)
      assert.equal([ended.status, ended.answer], ['complete', 'Signed in. The profile is being saved.'])
      await eventually(
        async () => (await api.get('/v1/profiles/acme')).json.saved_at !== null,
        'the profile is saved',
        10_000,
      )
      const pages = await signedIn.pages()

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
        assert.equal(json.request.browser, { pool: 'default', profile: profileId, save: false })
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
      const metrics = await (await fetch(`${service.url}/metrics`)).text()
      await service.stop()
      const exported = join(tempFolder(), 'workspace.json')
      const env = { ...process.env, DATA_DIR: service.dataDir }
      execFileSync(process.execPath, [ENTRY, 'export', 'default', exported], { env, stdio: 'ignore' })
      const seen = {
        answers: JSON.stringify(answers),
        pages: `${pages.join()}${metrics}`,
        output: service.output,
        exported: readFileSync(exported, 'latin1'),
        store: contentsOf(service.dataDir),
      }
      assert.match(seen.exported, 'Who am I', 'the export can be read so')
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
}
