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
  assert.match(untaken, /^Nothing was dropped: what was dragged from e\d+ was not taken at e\d+\./)
  assert.match(untaken, /Under the end: <button> "Deaf"/)
  const unbegun = await text(...act('left_click_drag', { ref: await ref(/"Stuck"/), to_ref }))
  assert.match(unbegun, /^Nothing was dragged: the page began no drag at e\d+, though/)
})

const MOVES = `<title>Moves</title><style>body { margin: 0; height: 900px } #from, .to { position: absolute; width: 20px; height: 20px }</style>
  <button id="from" style="left: 300px; top: 300px">From</button>
  <button class="to" style="left: 600px; top: 300px">East</button><button class="to" style="left: 40px; top: 300px">West</button>
  <button class="to" style="left: 300px; top: 20px">North</button><button class="to" style="left: 300px; top: 560px">South</button>
  <button class="to" style="left: 330px; top: 340px">Near</button>
  <script>
    let moves = [], kind = ''
    addEventListener('pointerdown', ({ clientX, clientY }) => { moves = [[clientX, clientY]]; kind = '' })
    addEventListener('pointermove', ({ clientX, clientY, buttons }) => {
      if (buttons === 0) return
      moves.push([clientX, clientY])
      const [[x, y]] = moves
      const [dx, dy] = [Math.abs(clientX - x), Math.abs(clientY - y)]
      // As carousels tell a swipe from scrolling.
      if (kind === '' && dx + dy >= 3) kind = dx > dy ? 'swipe' : 'scroll'
    })
  </script>`

test('[G7] a drag leaves its start towards its end, and never goes back', async ({ show, text, ref, value }) => {
  await show(MOVES)
  const from = await ref(/"From"/)
  for (const [name, kind] of [
    ['East', 'swipe'],
    ['West', 'swipe'],
    ['North', 'scroll'],
    ['South', 'scroll'],
    ['Near', ''],
  ] as const) {
    await text(...act('left_click_drag', { ref: from, to_ref: await ref(new RegExp(`"${name}"`)) }))
    const [[x, y] = [0, 0], ...moves] = (await value('moves')) as [number, number][]
    const [endX, endY] = moves.at(-1) ?? [0, 0]
    const length = Math.hypot(endX - x, endY - y)
    const along = moves.map(([left, top]) => ((left - x) * (endX - x) + (top - y) * (endY - y)) / length)
    const beside = moves.map(([left, top]) => Math.abs((left - x) * (endY - y) - (top - y) * (endX - x)) / length)
    assert.ok(Math.max(...beside) <= 1.5, `${name}: ${Math.max(...beside)} px beside the way`)
    assert.ok(
      along.every((at, index) => index === 0 || at >= (along[index - 1] ?? 0) - 0.8),
      `${name}: ${along}`,
    )
    if (kind !== '') assert.is(await value('kind'), kind, name)
  }
  await text(...act('left_click_drag', { start_coordinate: [310, 310], coordinate: [450, 310] }))
  assert.is(await value('kind'), 'swipe')
  await text(...act('left_click_drag', { start_coordinate: [310, 310], coordinate: [312, 310] }))
  assert.ok(
    ((await value('moves')) as number[][]).every(([left = 0]) => left <= 312),
    'no further than the end',
  )
})

test('[G7] what was dropped in a frame is said to be dropped', async ({ show, text, ref }) => {
  await show(`<p draggable="true" id="card" style="width: 90px">Card</p>
    <iframe srcdoc="<button ondragover='event.preventDefault()' ondrop='this.textContent = &quot;Full&quot;'>Box</button>"></iframe>
    <script>card.ondragstart = ({ dataTransfer }) => dataTransfer.setData('text', 'x')</script>`)
  const answer = await text(
    ...act('left_click_drag', { ref: await ref(/draggable "Card"/), to_ref: await ref(/"Box"/) }),
  )
  assert.match(answer, /^Dragged from e\d+ and dropped on f\d+e\d+\./)
  assert.match(answer, /button "Full"/)
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
