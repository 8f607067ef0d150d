import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { and, assign, not, setup } from 'xstate'
import { commentAbove, drawings } from '../../docs/drawings.ts'
import { mermaid } from '../../docs/mermaid.ts'
import { statecharts } from '../../docs/statecharts/statecharts.ts'

const test = suite('drawings')
const drawn = await drawings('machines')
const charts = await statecharts('machines')

for (const [folder, files] of Object.entries({ 'docs/machines': drawn, 'src/observe/inspector/drawings': charts })) {
  for (const [name, text] of files)
    test(`${folder}/${name} is what its machine is now (npm run docs)`, () => {
      const kept = readdirSync(folder).includes(name) ? readFileSync(`${folder}/${name}`, 'utf8') : null
      assert.ok(kept === text, `${folder}/${name} is stale`)
    })

  test(`no drawing is left in ${folder} of a machine that is gone`, () => {
    assert.equal(
      readdirSync(folder).filter((name) => !files.has(name)),
      [],
    )
  })
}

test('the same code gives the same drawings', async () => {
  assert.equal([...(await drawings('machines'))], [...drawn])
  assert.equal([...(await statecharts('machines'))], [...charts])
})

const door = setup({
  types: { context: {} as { locked: boolean } },
  actors: {},
  guards: { locked: ({ context }) => context.locked, known: () => true },
  delays: { patience: 1_000 },
  actions: { lock: assign({ locked: true }) },
}).createMachine({
  id: 'door',
  context: { locked: false },
  initial: 'shut',
  states: {
    shut: {
      tags: ['quiet'],
      on: {
        'door.push': [
          { guard: not('locked'), target: 'open' },
          { guard: and(['locked', 'known']), actions: 'lock' },
        ],
      },
    },
    open: {
      initial: 'moving',
      states: { moving: { after: { patience: 'still' } }, still: { always: { guard: 'known', target: '#door.torn' } } },
      on: { 'door.pull': 'shut', 'door.slam': '.still' },
    },
    torn: { type: 'final', entry: 'lock' },
  },
  on: { 'door.break': '.torn' },
})

test('a machine is drawn with its nested states, guards, delays and what may happen in any state', () => {
  assert.is(
    mermaid(door),
    `stateDiagram-v2
  [*] --> door_shut
  state "shut" as door_shut
  state "open" as door_open {
    [*] --> door_open_moving
    state "moving" as door_open_moving
    state "still" as door_open_still
    state "in any state" as door_open_any
    door_open_any --> door_open_still : door.slam
    door_open_moving --> door_open_still : after patience
  }
  state "torn" as door_torn
  door_torn --> [*]
  state "in any state" as door_any
  door_any --> door_torn : door.break
  door_shut --> door_open : door.push [not locked]
  door_open --> door_shut : door.pull
  door_open_still --> door_torn : always [known]`,
  )
})

test('regions stand beside each other', () => {
  const both = setup({}).createMachine({
    id: 'both',
    type: 'parallel',
    states: { left: { initial: 'a', states: { a: {} } }, right: { initial: 'b', states: { b: {} } } },
  })
  assert.match(mermaid(both), /state "left".*\n {4}--\n.*state "right"/s)
})

test('the comment above a machine is found, and no other', () => {
  const source = `/** Not this. */\nconst a = 1\n/**\n * One [D1].\n * Two.\n */\nexport const aMachine = 1\nexport const bMachine = 2`
  assert.is(commentAbove(source, 'aMachine'), 'One [D1].\nTwo.')
  assert.is(commentAbove(source, 'bMachine'), '')
})

test.run()
