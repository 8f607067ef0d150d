import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('drags, and the mouse outside')

const act = (action: string, more: object = {}) => ['computer', { action, ...more }] as const

test('[G7] a drag is a path of many moves, with a rest before its end', async ({ open, text, ref, value }) => {
  await open('/drags')
  const drag = { ref: await ref(/"Card"/), to_ref: await ref(/"Near"/) }
  const answer = await text(...act('left_click_drag', drag))
  assert.match(answer, /^Dragged from e\d+ to e\d+\.\n[\s\S]*Under the end: <button> "Near"/)
  const path = (await value('path')) as number[]
  assert.ok(path.length > 15, `${path.length} moves`)
  assert.ok((path.at(-1) ?? 0) - (path.at(-2) ?? 0) >= 90, 'a rest before the button is released')
  assert.is(await value('dropped'), 'near')
})

test('[G7] the end of a drag is scrolled into view', async ({ open, text, ref, value }) => {
  await open('/drags')
  await text(...act('left_click_drag', { ref: await ref(/"Card"/), to_ref: await ref(/"Far"/) }))
  assert.is(await value('dropped'), 'far')
})

test('[G7] a drag that the page does not begin or take is told', async ({ open, text, ref }) => {
  await open('/drags')
  const to_ref = await ref(/"Deaf"/)
  const untaken = await text(...act('left_click_drag', { ref: await ref(/"Cargo"/), to_ref }))
  assert.match(untaken, /^Dragged from e\d+ to e\d+\.\nWhat is under the end took no drop\./)
  assert.match(untaken, /Under the end: <button> "Deaf"/)
  const unbegun = await text(...act('left_click_drag', { ref: await ref(/"Stuck"/), to_ref }))
  assert.match(unbegun, /^Dragged from e\d+ to e\d+\.\nThe page did not begin a drag there\./)
})

test('[G7] the mouse can leave the page', async ({ open, text, value }) => {
  await open('/drags')
  await text(...act('mouse_move', { coordinate: [300, 300] }))
  await text(...act('mouse_move', { coordinate: [300, -20] }))
  assert.is(await value('left'), 1)
})

test('[G29] a text that is set has key events around it, so that filters and counters run', async ({
  open,
  text,
  ref,
  value,
}) => {
  await open('/drags')
  const answer = await text('form_input', { ref: await ref(/textbox "Filter"/), value: 'Tea, green' })
  assert.match(answer, /"Filtered by Tea, green"/)
  assert.equal(await value('keys'), ['keydown', 'input', 'keyup', 'change'])
  await text('form_input', { ref: await ref(/textbox "Filter"/), value: 'Löß' })
  assert.equal(await value('filter.value'), 'Löß')
})

await test.run()
