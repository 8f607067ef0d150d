import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOAuth, type Grantor } from '../../src/identity/oauth.ts'
import { HandClock } from '../support/hand-clock.ts'
import { openLmdb } from './world.ts'

const test = suite('connections of applications')
const { store, close } = await openLmdb()
test.after(close)

const DAY_MS = 86_400_000
const URI = 'https://assistant.example/back'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')
const clock = new HandClock(1_000 * DAY_MS)
const oauth = createOAuth({ store, clock, fetchDocument: async () => null })

async function connected(grantor: Grantor) {
  const client = await oauth.register('An assistant', [URI])
  if (!client) throw new Error('no client')
  const code = await oauth.createCode({ client, redirectUri: URI, challenge, resource: 'r' }, grantor)
  const given = { clientId: client.id, redirectUri: URI, verifier, resource: null }
  const tokens = await oauth.exchange(code, given)
  if (!tokens) throw new Error('no tokens')
  return { client, tokens }
}
const ofUser = (workspaceId: string, userId: string): Grantor => ({ workspaceId, userId, keyHash: null })

test('[A43] one that is used every day ends after 90 days', async () => {
  const grantor = ofUser('aged', 'ann')
  const { client, tokens } = await connected(grantor)
  let { access, refresh } = tokens
  for (let day = 1; day < 90; day++) {
    clock.turn(DAY_MS)
    const next = await oauth.refresh(refresh, client.id)
    assert.ok(next, `day ${day}`)
    ;({ access, refresh } = next)
  }
  assert.is((await oauth.list(grantor)).length, 1)
  clock.turn(DAY_MS + 1)
  assert.is(await oauth.refresh(refresh, client.id), null)
  assert.is(await oauth.grantOf(access), null)
  assert.equal(await oauth.list(grantor), [])
})

test('[A43] a token that only has the family of another, or nothing of it, ends nothing but its own', async () => {
  const [one, other] = [await connected(ofUser('w', 'ann')), await connected(ofUser('w', 'bob'))]
  for (const token of ['', 'svc_refresh_', other.tokens.refresh.slice(0, 30), `${one.tokens.refresh.slice(0, -1)}x`])
    assert.is(await oauth.refresh(token, one.client.id), null)
  assert.is(await oauth.grantOf(one.tokens.access), null, 'whoever knows its family had a token of it')
  assert.ok(await oauth.refresh(other.tokens.refresh, other.client.id))
})

test('[A43] an owner sees and ends what others have let in, a member their own, nobody another workspace', async () => {
  const [ann, bob] = [ofUser('team', 'ann'), ofUser('team', 'bob')]
  const both = [await connected(ann), await connected(bob)]
  assert.is((await oauth.list({ workspaceId: 'team' })).length, 2)
  const [own] = await oauth.list(bob)
  assert.is((await oauth.list(bob)).length, 1)
  const id = own?.id ?? ''
  assert.is(await oauth.remove(id, ann), false)
  assert.is(await oauth.remove(id, { workspaceId: 'other' }), false)
  assert.is(await oauth.remove(id, { workspaceId: 'team' }), true)
  assert.is(await oauth.grantOf(both[1]?.tokens.access ?? ''), null)
  assert.ok(await oauth.grantOf(both[0]?.tokens.access ?? ''))
})

test.run()
