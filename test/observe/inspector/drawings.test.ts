import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyStateNode } from 'xstate'
import { createDrawings } from '../../../src/observe/inspector/drawings.ts'
import { MACHINES } from '../../../src/observe/inspector/machines.ts'

const test = suite('drawings')
const drawings = createDrawings()

const within = (node: AnyStateNode): AnyStateNode[] =>
  Object.values(node.states).flatMap((each) => [each, ...within(each)])

for (const [name, machine] of Object.entries(MACHINES)) {
  test(`${name} is drawn with every state and every event that leads somewhere`, async () => {
    const svg = (await drawings.svg(name)) ?? ''
    for (const state of within(machine.root)) assert.ok(svg.includes(`data-state="${state.path.join('.')}"`), state.id)
    const drawn = [...svg.matchAll(/data-events="([^"]*)"/g)].flatMap(([, events = '']) => events.split(' | '))
    for (const state of [machine.root, ...within(machine.root)]) {
      for (const [event, transitions] of state.transitions) {
        if (event.startsWith('xstate.') || transitions.every(({ target }) => !target?.length)) continue
        assert.ok(drawn.includes(event), `${state.id} ${event}`)
      }
    }
    // Every arrow has a way, and nothing lies outside of the picture.
    const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number)
    assert.is.not([...svg.matchAll(/<g class="edge"[^>]*><path d="M/g)].length, 0)
    for (const [, x, y] of svg.matchAll(/<rect x="([-\d.]+)" y="([-\d.]+)"/g)) {
      assert.ok(Number(x) >= 0 && Number(x) < width && Number(y) >= 0 && Number(y) < height)
    }
    assert.not.match(svg, /NaN|undefined|style=|<script/)
  })
}

test('[P38] every state, event and guard of every machine has its sentence', async () => {
  const all = await drawings.sentences()
  assert.equal(Object.keys(all).sort(), Object.keys(MACHINES).sort())
  const without = Object.entries(all).flatMap(([name, { about, ...parts }]) =>
    Object.entries({ ...parts, machine: { about } }).flatMap(([part, sentences]) =>
      Object.entries(sentences).flatMap(([each, sentence]) => (sentence === '' ? [`${name} ${part} ${each}`] : [])),
    ),
  )
  assert.equal(without, [])
  for (const [name, machine] of Object.entries(MACHINES)) {
    const states = within(machine.root).filter(({ type }) => type !== 'history')
    assert.equal(Object.keys(all[name]?.states ?? {}).sort(), states.map(({ path }) => path.join('.')).sort())
    assert.equal(Object.keys(all[name]?.guards ?? {}).sort(), Object.keys(machine.implementations.guards).sort())
    const events = machine.events.map(String).filter((event) => event !== '*' && !event.startsWith('xstate.'))
    for (const event of events) assert.ok(all[name]?.events[event], `${name} ${event}`)
  }
})

test('an unknown name has no drawing', async () => {
  for (const name of ['', 'nothing', '__proto__', 'constructor']) assert.is(await drawings.svg(name), null)
})

test.run()
