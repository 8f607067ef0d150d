import * as assert from 'uvu/assert'
import { sizeOf } from '../../src/browser/act/screenshot.ts'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('mouse, keyboard and screenshots')

const act = (action: string, more: object = {}) => ['computer', { action, ...more }] as const
/** [type, id, isTrusted, ctrlKey, detail] */
type Logged = readonly [string, string, boolean, boolean, number]

test('[G7] clicks are real input events', async ({ open, text, ref, value }) => {
  await open('/pointer')
  const one = await ref(/button "One"/)
  await text(...act('left_click', { ref: one }))
  await text(...act('double_click', { ref: one }))
  await text(...act('right_click', { ref: one }))
  await text(...act('left_click', { ref: one, modifiers: 'ctrl' }))
  const log = (await value('log')) as Logged[]
  assert.ok(log.length > 0 && log.every(([, id, isTrusted]) => id === 'one' && isTrusted))
  assert.equal(
    log
      .filter(([type]) => ['click', 'dblclick', 'contextmenu'].includes(type))
      .map(([type, , , ctrl, detail]) => [type, ctrl, detail]),
    [
      ['click', false, 1],
      ['click', false, 1],
      ['click', false, 2],
      ['dblclick', false, 2],
      ['contextmenu', false, 0],
      ['click', true, 1],
    ],
  )
})

test('[G7] a click at a coordinate hits what is there and says what it was', async ({ open, text, value }) => {
  await open('/pointer')
  assert.is(
    await text(...act('left_click', { coordinate: [70, 40], look: 'none' })),
    'Clicked at [70, 40].\n[70, 40]: <button> "One"',
  )
  assert.equal(((await value('log')) as Logged[]).at(-1)?.slice(0, 2), ['click', 'one'])
})

test('[G7] triple click selects the paragraph', async ({ open, text, value }) => {
  await open('/pointer')
  await text(...act('triple_click', { coordinate: [60, 465] }))
  assert.is(String(await value('getSelection().toString()')).trim(), 'alpha beta gamma')
})

test('[G7] a click on what is covered is not made, and says what covers it', async ({
  open,
  text,
  ref,
  failure,
  value,
}) => {
  await open('/pointer')
  const two = await ref(/button "Two"/)
  const message = await failure(...act('left_click', { ref: two }))
  assert.match(
    message,
    new RegExp(
      `^Element ${two} is covered by (e\\d+)\\. Close or move .*\\n${two}: button "Two"\\n\\1: <dialog> "Cookies"$`,
    ),
  )
  assert.equal(await value('log'), [])
  await text(...act('left_click', { ref: await ref(/button "OK"/) }))
  assert.match(await text(...act('left_click', { ref: two })), /^Clicked/)
})

test('[G12] an element that was removed fails clearly', async ({ open, text, ref, failure }) => {
  await open('/pointer')
  const gone = await ref(/Goes away/)
  await text(...act('left_click', { ref: gone }))
  assert.is(
    await failure(...act('left_click', { ref: gone })),
    `Element ${gone} is no longer on the page. Read the page again.`,
  )
})

test('[G7] an invisible checkbox under its styled label can be clicked', async ({ open, text, ref, value }) => {
  await open('/pointer')
  await text(...act('left_click', { ref: await ref(/checkbox "Styled box"/) }))
  assert.is(await value(`document.getElementById('ghost').checked`), true)
})

test('[G7] hover, drag with the mouse, and drag and drop of HTML', async ({ open, text, ref, value }) => {
  await open('/pointer')
  await text(...act('hover', { coordinate: [60, 340] }))
  assert.is(await value(`document.querySelector('#hover span').hidden`), false)
  await text(...act('left_click_drag', { ref: await ref(/slider/), coordinate: [100, 220] }))
  assert.is(await value('slider.textContent'), '80')
  await text(...act('left_click_drag', { start_coordinate: [70, 280], coordinate: [350, 280] }))
  assert.is(await value('sink.textContent'), 'cargo')
})

test('[X12] what is typed into a password field is not told', async ({ open, text, ref, value }) => {
  await open('/first')
  await value(
    `document.body.insertAdjacentHTML('afterbegin', '<input type=password aria-label=Code><input aria-label=Name>') ?? 1`,
  )
  for (const more of [{}, { clear: true }]) {
    const said = await text(...act('type', { ref: await ref(/"Code"/), text: 'hunter2', ...more }))
    assert.match(said, /Typed •{8} into e\d+\.[\s\S]*now holds "•{8}"/)
    assert.not.match(said, /hunter2/)
  }
  assert.match(await text(...act('type', { text: 'hunter3' })), /Typed •{8}\./)
  assert.match(await text(...act('type', { ref: await ref(/"Name"/), text: 'Ann' })), /Typed "Ann" into/)
})

test('[G8] types into the field of a ref, characters that no key has included', async ({ open, text, ref, value }) => {
  await open('/keys')
  await text(...act('type', { ref: await ref(/textbox "Field"/), text: 'Añ: "Hi"!' }))
  assert.is(await value(`document.getElementById('field').value`), 'startAñ: "Hi"!')
  const keys = (await value('keys')) as string[]
  assert.equal(keys.slice(0, 3), ['shift+A', 'shift+:', ' '])
  await text(...act('left_click', { ref: await ref(/textbox "Area"/) }))
  await text(...act('type', { text: 'one\ntwo' }))
  assert.is(await value(`document.getElementById('area').value`), 'one\ntwo')
  const long = 'long '.repeat(200)
  await text(...act('type', { text: long }))
  assert.is(await value(`document.getElementById('area').value`), `one\ntwo${long}`)
})

test('[G8] says when no field has the focus', async ({ open, text }) => {
  await open('/keys')
  assert.match(await text(...act('type', { text: 'x' })), /No field had the focus/)
})

const FOCUS = `<title>Focus</title><div role="listbox" tabindex="0" aria-label="Fruit" onkeydown="said.textContent = 'list ' + event.key">
    <div role="option" onclick="1">Apple</div></div>
  <div onclick="1" style="cursor: pointer">Plain</div>
  <label onclick="1">Agree <input type="checkbox" style="opacity: 0; position: absolute; width: 1px; height: 1px" onkeydown="said.textContent = 'box ' + event.key"></label>
  <div onclick="1" style="cursor: pointer">Card<a href="#x" onkeydown="said.textContent = 'link ' + event.key">Link</a></div>
  <input id="other" aria-label="Other"><input id="shy" aria-label="Shy" onfocus="other.focus()">
  <div role="slider" aria-label="Bar" aria-valuenow="3" aria-valuemin="0" aria-valuemax="9" onclick="1">Bar</div>
  <output id="said"></output><script>addEventListener('keydown', ({ target }) => { if (target === document.body) said.textContent = 'lost' })</script>`

test('[G8] a key goes to what was asked for or what is nearest to it, never to nothing', async ({
  show,
  text,
  ref,
  value,
  failure,
}) => {
  await show(FOCUS)
  const said = () => value('said.textContent')
  const onList = await text(...act('key', { ref: await ref(/option "Apple"/), text: 'ArrowDown' }))
  assert.match(
    onList,
    /^Pressed ArrowDown\.\ne\d+ cannot take the focus: what is nearest to it has it\.\n[\s\S]*Focused: <listbox> "Fruit"/,
  )
  assert.is(await said(), 'list ArrowDown')
  await text(...act('key', { ref: await ref(/Agree/), text: 'Home' }))
  assert.is(await said(), 'box Home')
  assert.match(
    await failure(...act('key', { ref: await ref(/clickable "Plain"/), text: 'End' })),
    /nothing around it can, so no key was pressed/,
  )
  assert.match(
    await failure(...act('key', { ref: await ref(/clickable "Plain"/), text: 'a', hold: 0.1 })),
    /no key was pressed/,
  )
  assert.is(await said(), 'box Home')
})

test('[G29] what cannot have the focus is not typed into another field', async ({
  show,
  text,
  ref,
  value,
  failure,
}) => {
  await show(FOCUS)
  await text('form_input', { ref: await ref(/textbox "Shy"/), value: 'Ada' })
  assert.equal(await value('[shy.value, other.value]'), ['Ada', ''])
  assert.match(await failure('form_input', { ref: await ref(/slider "Bar"/), value: '5' }), /cannot take the focus/)
  assert.is(await value('said.textContent'), '')
})

test('[G8] shift and a key type what the key has with shift', async ({ show, text, ref, value }) => {
  await show('<input id="field" aria-label="Field">')
  const field = await ref(/"Field"/)
  for (const chord of ['shift+/', 'shift+1', 'shift+a', 'shift+;', 'shift+='])
    await text(...act('key', { ref: field, text: chord }))
  assert.is(await value('field.value'), '?!A:+')
})

test('[G8] presses keys, shortcuts and repeats', async ({ open, text, ref, value, failure }) => {
  await open('/keys')
  const field = await ref(/textbox "Field"/)
  await text(...act('key', { ref: field, text: 'ctrl+a' }))
  await text(...act('key', { text: 'Delete' }))
  assert.is(await value(`document.getElementById('field').value`), '')
  await text(...act('type', { text: 'abcdef' }))
  await text(...act('key', { text: 'Backspace', repeat: 3 }))
  assert.is(await value(`document.getElementById('field').value`), 'abc')
  // The caret stays where it is in a field that has the focus.
  await text(...act('key', { ref: field, text: 'ArrowLeft' }))
  await text(...act('key', { ref: field, text: 'Delete' }))
  assert.is(await value(`document.getElementById('field').value`), 'ab')
  await text(...act('key', { text: 'End' }))
  await text(...act('key', { text: 'shift+Home x Tab' }))
  assert.is(await value(`document.getElementById('field').value`), 'x')
  assert.is(await value('document.activeElement.id'), 'next')
  const keys = (await value('keys')) as string[]
  assert.equal(keys.slice(0, 3), ['ctrl+Control', 'ctrl+a', 'Delete'])
  assert.is(await failure(...act('key', { text: 'ctrl+nokey' })), 'Unknown key "nokey".')
})

test('[G8] scrolls the page and what is at a ref, and scrolls to a ref', async ({ open, text, ref, value }) => {
  await open('/second')
  assert.match(
    await text(...act('scroll', { scroll_direction: 'down', scroll_amount: 5 })),
    /^Scrolled down\. The page is at 500 of \d+ px\.$/,
  )
  assert.is(await value('scrollY'), 500)
  assert.match(await text(...act('scroll', { scroll_direction: 'up', scroll_amount: 50 })), /The page is at 0 of/)
  const far = await ref(/Far button/)
  await text(...act('scroll_to', { ref: far }))
  assert.ok(Number(await value('scrollY')) > 1000)
  await open('/second')
  await text(...act('left_click', { ref: await ref(/Far button/) }))
  assert.match(await text('read_page', {}), /button "Pressed"/)
  await open('/pointer')
  await text(...act('scroll', { ref: await ref(/List/), scroll_amount: 2 }))
  assert.ok(Number(await value(`document.getElementById('list').scrollTop`)) > 0)
})

test('[G9] wait waits', async ({ open, text }) => {
  await open('/first')
  const started = performance.now()
  assert.is(await text(...act('wait', { duration: 0.2 })), 'Waited 0.2 s.\nNothing on the page changed.')
  assert.ok(performance.now() - started >= 195)
})

test('[G10] screenshot is a JPEG of the visible page, its longest side at most 1,280 px', async ({
  open,
  run,
  value,
}) => {
  await open('/pointer')
  const { screenshot, said } = await run(...act('screenshot'))
  assert.ok(screenshot?.startsWith('/9j/'))
  const size = sizeOf(screenshot ?? '')
  assert.is(Math.max(size.width, size.height), 1280)
  assert.is(said, `Screenshot of ${size.width} × ${size.height} pixels.`)
  assert.is(await value('innerWidth'), 1280)
})

test('[G10] a larger window is scaled down, and coordinates mean pixels of the screenshot', async ({
  open,
  run,
  text,
  tabs,
  value,
}) => {
  await open('/pointer')
  const metrics = { width: 1920, height: 1000, deviceScaleFactor: 2, mobile: false }
  await tabs.protocolOf('task')?.send('Emulation.setDeviceMetricsOverride', metrics)
  const { screenshot } = await run(...act('screenshot'))
  const size = sizeOf(screenshot ?? '')
  assert.ok(size.width <= 1280 && size.width > 1270, `${size.width}`)
  // Button One, which is at (70, 40) of 1920 pixels.
  const coordinate = [70, 40].map((css) => Math.round((css * size.width) / 1920))
  assert.match(await text(...act('left_click', { coordinate })), /\]: <button> "One"\n/)
  assert.equal(((await value('log')) as Logged[]).at(-1)?.slice(0, 2), ['click', 'one'])
})

test('[G10] zoom shows a region larger, wherever the page is scrolled to', async ({ open, run, failure }) => {
  await open('/second')
  await run(...act('scroll', { scroll_amount: 3 }))
  const { screenshot, said } = await run(...act('zoom', { region: [0, 0, 400, 300] }))
  const size = sizeOf(screenshot ?? '')
  assert.is(size.width, 1280)
  assert.ok(Math.abs(size.height - 960) <= 2)
  assert.match(said, /^Region \[0, 0, 400, 300\], enlarged\./)
  assert.match(await failure(...act('zoom', { region: [5, 5, 5, 5] })), /^The region is empty/)
  assert.is(await failure(...act('zoom')), 'zoom needs region.')
})

test('[G7] what an action needs is named', async ({ open, failure }) => {
  await open('/first')
  assert.is(await failure(...act('left_click')), 'left_click needs a ref or a coordinate.')
  assert.match(
    await failure(...act('left_click', { coordinate: [5000, 1] })),
    /^The coordinate \[5000, 1\] is outside the screenshot of 1280 × 800 pixels\.$/,
  )
  assert.is(await failure(...act('type')), 'type needs text.')
  assert.is(await failure(...act('scroll_to')), 'scroll_to needs a ref.')
  assert.match(
    await failure(...act('left_click', { coordinate: [1, 1], modifiers: 'hyper' })),
    /"hyper" is not a modifier key/,
  )
})

await test.run()
