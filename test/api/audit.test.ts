import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AuditRecord } from '../../machines/audit-records.ts'
import { createAudit } from '../../src/identity/audit.ts'
import { createRequestOriginOf, proxiesOf } from '../../src/net/request-origin.ts'
import { HandClock } from '../support/hand-clock.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'
import { memoryLog } from '../support/http-wire.ts'

const test = suite('audit writer')
const turns = () => new Promise((resolve) => setTimeout(resolve, 5))

function aWriter() {
  const kept: AuditRecord[] = []
  const batches: number[] = []
  const store = {
    away: false,
    audit: {
      async append(records: readonly AuditRecord[]) {
        batches.push(records.length)
        if (store.away) throw new Error('away')
        kept.push(...records)
      },
    },
  }
  const clock = new HandClock(0)
  const log = memoryLog()
  let id = 0
  const ids = { uuid: () => `00000000-0000-4000-8000-${String(id++).padStart(12, '0')}` }
  const audit = createAudit({ store, clock, ids, log })
  const actor = { kind: 'key', id: 'k', name: 'backend', role: null } as const
  const note = (action: string) => audit.note({ workspaceId: 'w', action, actor })
  return { audit, store, kept, batches, clock, log, note, actions: () => kept.map(({ action }) => action) }
}

test('[O11] entries of one moment are one write, and those that a store that is away refuses are written in their order', async () => {
  const { audit, store, note, actions, batches, clock, log } = aWriter()
  for (const action of ['a', 'b', 'c']) note(action)
  await turns()
  assert.equal([actions(), batches], [['a', 'b', 'c'], [3]])
  store.away = true
  note('d')
  await turns()
  note('e')
  clock.turn(3_000)
  await turns()
  assert.equal(actions(), ['a', 'b', 'c'])
  assert.is(log.lines.filter(({ level }) => level === 'warn').length, 1)
  store.away = false
  clock.turn(1_000)
  await turns()
  assert.equal(actions(), ['a', 'b', 'c', 'd', 'e'])
  note('f')
  await audit.close()
  assert.is(actions().at(-1), 'f')
})

test('[O11] what cannot be kept is a whole entry in a line of the log: over 10,000 that wait, and those of a stop', async () => {
  const { audit, store, note, log } = aWriter()
  store.away = true
  for (let n = 0; n < 10_002; n++) note(`a${n}`)
  const lost = () =>
    log.lines.flatMap(({ level, fields }) => (level === 'error' ? [(fields as { audit: AuditRecord }).audit] : []))
  assert.equal(
    lost().map(({ action, actor }) => [action, actor.name]),
    [
      ['a10000', 'backend'],
      ['a10001', 'backend'],
    ],
  )
  await turns()
  await audit.close()
  assert.is(lost().length, 10_002)
  note('late')
  assert.is(lost().at(-1)?.action, 'late')
})

test('[O11] [E18] the address is the client’s behind trusted proxies alone, and refusals of a workspace are noted 60 times a minute', async () => {
  const entries: Parameters<Parameters<typeof createAudit>[0]['store']['audit']['append']>[0][number][] = []
  const audit = { note: (entry: object) => void entries.push(entry as never) }
  const requestOriginOf = createRequestOriginOf({ publicUrl: null, proxies: proxiesOf(['10.0.0.0/8']) })
  const surface = await makeSurface({ audit, requestOriginOf })
  const { key, workspaceId } = await aKey(surface)
  const { key: publishable } = await aKey(surface, workspaceId, 'publishable')
  const from = (ip: string) =>
    surface.handle({
      ...{
        method: 'POST',
        path: '/v1/api-keys',
        query: '',
        ip,
        bodyTooLarge: false,
        signal: new AbortController().signal,
      },
      headers: { host: 'svc.test', authorization: `Bearer ${key}`, 'x-forwarded-for': '198.51.100.9' },
      body: Buffer.from('{"name":"n"}'),
    })
  await from('10.1.2.3')
  await from('203.0.113.5')
  assert.equal(
    entries.map(({ address }) => address),
    ['198.51.100.9', '203.0.113.5'],
  )
  for (let n = 0; n < 70; n++) await surface.ask('GET', '/v1/usage', { key: publishable })
  assert.is(entries.filter(({ outcome }) => outcome === 'refused').length, 60)
  surface.clock.at += 61_000
  await surface.ask('GET', '/v1/usage', { key: publishable })
  assert.is(entries.at(-1)?.action, 'getUsage')
  assert.is(entries.filter(({ outcome }) => outcome === 'refused').length, 61)
})

test.run()
