import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ActorLine } from '../../../actors/inspection/shown.ts'
import type { Address } from '../../../machines/addresses.ts'
import { ActorRows, type Row } from '../../../src/web/client/inspector/actor-rows.ts'

const test = suite('rows of the actor list')

const line = (address: string, about: ActorLine['about'] = {}): ActorLine => ({
  address: address as Address,
  state: 'waiting',
  since: null,
  deadlineAt: null,
  about,
})
const deliveries = (count: number, endpointId: string): ActorLine[] =>
  Array.from({ length: count }, (_, n) => line(`delivery:${endpointId}${n}`, { endpointId }))

/** What is listed: heads with their counts, actors with their addresses. */
const told = (rows: readonly Row[]) =>
  rows.map((row) => (row.type === 'actor' ? row.key : `${row.isOpen ? '▾' : '▸'} ${row.key} ${row.lines.length}`))
const shown = (actors: ActorRows, toggled: readonly string[] = [], focus = '') =>
  told(actors.rows({ filter: '', toggled: new Set(toggled), focus, wordsOf: () => '' }).rows)

test('[P28] many deliveries to one endpoint are one row, which opens; a few are listed one by one', () => {
  const actors = new ActorRows()
  actors.reset([line('task:t'), ...deliveries(3, 'few'), ...deliveries(4, 'many')])
  const few = ['delivery:few2', 'delivery:few1', 'delivery:few0']
  const many = ['delivery:many3', 'delivery:many2', 'delivery:many1', 'delivery:many0']
  const begin = ['▾ task 1', 'task:t', '▾ delivery 7']
  assert.equal(shown(actors), [...begin, '▸ delivery many 4', ...few])
  assert.equal(shown(actors, ['delivery many']), [...begin, '▾ delivery many 4', ...many, ...few])
  // The chosen one is seen.
  assert.equal(shown(actors, [], 'delivery:many1'), [...begin, '▾ delivery many 4', ...many, ...few])
  assert.equal(shown(actors, ['delivery']), ['▾ task 1', 'task:t', '▸ delivery 7'])
})

test('[P28] an actor that has ended keeps its name among the events of others, and its row goes', () => {
  const actors = new ActorRows()
  const call = line('call:c', { tool: 'find', taskId: 't' })
  actors.reset([call])
  actors.change([], ['call:c', 'call:c', 'call:unknown'])
  assert.equal([actors.get('call:c'), actors.get('call:unknown'), actors.size, shown(actors)], [call, null, 0, []])
})

test.run()
