import * as assert from 'uvu/assert'
import { profiles } from '../e2e/profiles-suite.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import type { SignInSite } from '../support/sign-in-site.ts'

/** A program shows the person the pictures and sends what they do. */
async function signIn({ api, url, key }: TestService, site: SignInSite) {
  const profile = (await api.post('/v1/profiles', { name: 'acme' })).json
  assert.equal([profile.name, profile.saved_at], ['acme', null])
  const started = await api.post('/v1/profiles/acme/sign-in', { url: `${site.origin}/login` })
  assert.is(started.status, 201, JSON.stringify(started.json))
  const { id } = started.json
  await eventually(async () => (await api.task(id)).state === 'waitingForInput', 'the question to the person', 30_000)
  const stop = new AbortController()
  const live = await fetch(`${url}/v1/tasks/${id}/live`, {
    headers: { authorization: `Bearer ${key}` },
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
  const shows = (name: string) => eventually(() => site.shown === name, `the page for the ${name}`, 20_000)
  await does(...at(0.5, 0.15), { type: 'text', text: site.password }, ...at(0.5, 0.4))
  await shows('code')
  await does(...at(0.5, 0.15), { type: 'text', text: site.code }, { type: 'key', key: 'Enter' })
  await shows('welcome')
  const request = (await api.get(`/v1/tasks/${id}`)).json.input_request
  const done = await api.post(`/v1/tasks/${id}/inputs/${request?.id}`, { action: 'accept' })
  assert.is(done.status, 200, JSON.stringify(done.json))
  stop.abort()
  await reading
  return { id, profileId: profile.id as string, code: site.code ?? '', pages: async () => [] }
}

await profiles('by a program of their own', signIn)
