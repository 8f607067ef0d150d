import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { FromBrowser, ToBrowser } from '../../src/wire/relay.ts'
import { CANARY, openTenants } from '../support/tenants.ts'

/** The codes with which a socket may be closed for what it sent. */
const CLOSES = [4400, 4401, 4402, 4429]
/** Less than the hundred frames of a second, so that most of what is sent is looked at. */
const FRAME_EVERY_MS = 11
const LISTEN_EVERY_MS = 15_000

/** Everything that is under way at once has happened. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Every frame of the relay with anything in any place, so many times each, before and after `register`. Each answer is a
 * frame that the wire knows; nothing of the workspace that works may be seen, heard by its browser, or changed.
 */
export function anythingOverRelay(casesPerFrame: number): void {
  const test = suite('anything over the relay')

  for (const option of FromBrowser.options) {
    const type = option.entries.type.literal
    test(`[E16] [R7] [A8] anything in ${type} is answered or dropped`, async () => {
      const { scene, victim, stranger, strangerPeer, kept } = await openTenants()
      const { clock, log } = scene
      const known = [victim.sessionId, victim.workspaceId, ...victim.taskIds, stranger.sessionId, 'for ever']
      const value = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, -1, 1.5, 'x'.repeat(12_000), ...known))
      const names = [
        ...Object.keys(option.entries).filter((name) => name !== 'type'),
        ...['targetSessionId', 'browserSessionId', 'sessionId', 'requestId', 'taskId', '__proto__'],
      ]
      // Well-formed, and aimed at what belongs to the other workspace.
      const aimed = fc.record(
        {
          requestId: fc.string(),
          taskId: fc.constantFrom(...known),
          task: fc.constantFrom('Buy tea', 'Think for ever'),
          browserSessionId: fc.constantFrom(victim.sessionId, stranger.sessionId),
          messages: fc.constant([{ role: 'user', content: 'Hello' }]),
          result: fc.jsonValue(),
        },
        { requiredKeys: ['requestId', 'taskId'] },
      )
      const frame = fc.oneof(
        aimed.map((fields) => JSON.stringify({ ...fields, type })),
        fc.dictionary(fc.constantFrom(...names), value).map((fields) => JSON.stringify({ ...fields, type })),
        fc.jsonValue().map((any) => JSON.stringify(any)),
        fc.string(),
      )
      const before = await kept()
      const heardBefore = victim.peer.received.length
      let peer = await strangerPeer()
      let read = 0
      let heardAt = clock.now()
      await fc.assert(
        fc.asyncProperty(frame, async (text) => {
          await scene.turn(FRAME_EVERY_MS)
          if (clock.now() - heardAt >= LISTEN_EVERY_MS) {
            heardAt = clock.now()
            await victim.peer.says({ type: 'pong' })
          }
          await peer.says(text)
          await settled()
          for (const answer of peer.received.slice(read)) {
            assert.ok(v.is(ToBrowser, answer), JSON.stringify(answer))
            assert.not.match(JSON.stringify(answer), CANARY)
          }
          read = peer.received.length
          assert.equal(
            log.lines.filter(({ level }) => level === 'error'),
            [],
          )
          if (peer.closed === null) return
          assert.ok(CLOSES.includes(peer.closed.code), JSON.stringify(peer.closed))
          peer = await strangerPeer()
          read = 0
        }),
        { numRuns: casesPerFrame },
      )
      assert.is(victim.peer.closed, null)
      const heard = victim.peer.received.slice(heardBefore).filter((one) => one.type !== 'ping')
      assert.equal(heard, [])
      assert.is(await kept(), before)
      await scene.close()
    })
  }

  test('[E16] [R1] anything before register closes the socket, or is waited on', async () => {
    const { scene, victim, kept } = await openTenants()
    const before = await kept()
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('extension', 1, 2, victim.sessionId, 'x'.repeat(9_000)))
    const fields = fc.constantFrom('role', 'session_token', 'protocol', 'calls', 'instance', '__proto__')
    const frame = fc.oneof(
      fc
        .dictionary(fields, value)
        .map((any) => JSON.stringify({ role: 'extension', session_token: 'x', ...any, type: 'register' })),
      fc.jsonValue().map((any) => JSON.stringify(any)),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(frame, async (text) => {
        const peer = await scene.connect()
        await peer.says(text)
        await settled()
        assert.ok(peer.closed !== null && CLOSES.includes(peer.closed.code), JSON.stringify(peer.closed))
        assert.ok(peer.received.every((one) => one.type === 'error' && one.error === 'Invalid session token'))
      }),
      { numRuns: casesPerFrame },
    )
    assert.is(scene.relay.sockets(), 1)
    assert.equal(
      scene.log.lines.filter(({ level }) => level === 'error'),
      [],
    )
    assert.is(await kept(), before)
    await scene.close()
  })

  test.run()
}
