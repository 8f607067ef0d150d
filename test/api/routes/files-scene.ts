import * as assert from 'uvu/assert'
import type { HttpDeps } from '../../../src/api/deps.ts'
import { hashToken, newToken } from '../../../src/identity/tokens.ts'
import { type Ask, aKey, makeSurface } from '../../support/http-surface.ts'
import { aSession } from '../../support/stores.ts'

/** Two workspaces with keys, and a browser of the first. */
export async function filesScene(changes: Partial<HttpDeps> = {}) {
  const surface = await makeSurface(changes)
  const { ask, taskService, store, clock } = surface
  const { key, workspaceId } = await aKey(surface)
  const { key: foreignKey, workspaceId: foreignId } = await aKey(surface)
  const { key: publishable } = await aKey(surface, workspaceId, 'publishable')

  /** A browser, by its session token. */
  async function aBrowser(fields: { workspaceId?: string; expiresAt?: number; allowTasks?: boolean } = {}) {
    const token = newToken('session')
    const session = aSession({
      workspaceId,
      tokenHash: hashToken(token),
      expiresAt: clock.at + 1_000_000_000,
      ...fields,
    })
    await store.sessions.insert(session)
    return { id: session.id, token }
  }
  const browser = await aBrowser()

  const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
  const start = (files: unknown, options: Ask = {}) =>
    ask('POST', '/v1/tasks', { key, body: { task: 'Send it', browser_session_id: browser.id, files }, ...options })
  const filesOf = async (id: string, by = key) => (await ask('GET', `/v1/tasks/${id}/files`, { key: by })).json
  const asBrowser = (method: string, path: string, token = browser.token, options: Ask = {}) =>
    ask(method, `/v1/browser-files${path.startsWith('?') ? '' : '/'}${path}`, {
      ...options,
      headers: { authorization: `Bearer ${token}` },
    })
  const bytesOf = (answer: Awaited<ReturnType<typeof ask>>) => Buffer.from(answer.raw.body as Uint8Array)
  async function aTaskWith(files: unknown = []): Promise<string> {
    const { status, json } = await start(files)
    assert.is(status, 201, JSON.stringify(json))
    return json.id
  }
  return {
    ...{ ask, taskService, store, clock, surface, key, foreignKey, publishable, workspaceId, foreignId },
    ...{ aBrowser, browser, base64, start, filesOf, asBrowser, bytesOf, aTaskWith },
  }
}
export const A_FILE = { name: 'a.txt', data: Buffer.from('a').toString('base64') }
