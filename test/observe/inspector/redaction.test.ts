import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { redacted } from '../../../actors/inspection/redaction.ts'

const test = suite('redaction')

test('redaction keeps shape, ids, names, times and counts; secrets and what was written by others are left out', () => {
  const id = '3cdf32fa-961b-49e4-bb6b-96fee87f51ed'
  const shown = redacted({
    id,
    at: 5,
    state: 'waitingForBrowser',
    tool: 'find',
    none: null,
    sessionToken: 'abc',
    apiKey: 'abc',
    keyHash: 'abc',
    plain: 'svc_live_0123',
    lastText: 'ok',
    calls: [{ requestId: id, tool: 'find', input: { query: 'x' } }],
    note: 'a “quoted” thing',
    long: 'x'.repeat(81),
    many: Array.from({ length: 60 }, (_, n) => n),
    made: () => 1,
  }) as Record<string, unknown>
  assert.equal([shown.id, shown.at, shown.state, shown.tool, shown.none], [id, 5, 'waitingForBrowser', 'find', null])
  assert.equal([shown.sessionToken, shown.apiKey, shown.keyHash], ['‹secret›', '‹secret›', '‹secret›'])
  assert.equal([shown.plain, shown.lastText], ['‹13 characters›', '‹2 characters›'])
  assert.equal(shown.calls, [{ requestId: id, tool: 'find', input: '‹content›' }])
  assert.equal([shown.note, shown.long, shown.made], ['‹16 characters›', '‹81 characters›', '‹function›'])
  assert.is((shown.many as unknown[]).at(-1), '‹10 more›')
})

test.run()
