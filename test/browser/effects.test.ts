import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('what an action shows, and what it waits for')

const click = async ({ text, ref }: Driven, line: RegExp, more: object = {}): Promise<string> =>
  text('computer', { action: 'left_click', ref: await ref(line), ...more })

test('[G22] the answer shows what changed, or that nothing did; look chooses', async (driven) => {
  const page = await driven.open('/actions')
  assert.match(page, /^The page has loaded\.[\s\S]*Page "Actions" .*\n[\s\S]*button "Late" \[e\d+\]/)
  assert.match(await click(driven, /"Under"/), /\n\+ (status|text) "under"/)
  const { screenshot } = await driven.run('computer', { action: 'key', text: 'Tab', look: 'screenshot' })
  assert.ok(screenshot?.startsWith('/9j/'))
  assert.not.match(await click(driven, /"Low"/, { look: 'none' }), /low/)
  await driven.open('/pointer')
  await click(driven, /"One"/)
  assert.match(await click(driven, /"One"/), /Nothing on the page changed\./)
})

test('[G22] every action has a fingerprint, which changes with the page and with scrolling', async (driven) => {
  await driven.open('/second')
  const print = async (input: Record<string, unknown>) => (await driven.run('computer', input)).fingerprint
  const under = { action: 'left_click', ref: await driven.ref(/Far button/) }
  const first = await print(under)
  assert.type(first, 'string')
  assert.is(await print(under), first)
  assert.is.not(await print({ action: 'scroll', scroll_direction: 'up', scroll_amount: 2 }), first)
})

test('[G23] what comes 500 ms after a click is seen, and what a request brings (B8)', async (driven) => {
  await driven.open('/actions')
  assert.match(await click(driven, /"Late"/), /"late"/)
  assert.match(await click(driven, /"Fetch"/), /"fetched"/)
})

test.both('[G23] what a click sets off in a frame of another site is waited for', async (driven) => {
  await driven.open('/first')
  const src = `${driven.pages.origin.replace('127.0.0.1', 'localhost')}/payment`
  await driven.value(`document.body.insertAdjacentHTML('afterbegin', '<iframe src="${src}"></iframe>') ?? 1`)
  await driven.text('computer', { action: 'wait', text: 'Pay' })
  assert.match(await click(driven, /button "Pay" \[f\d+e\d+\]/), /"Paid"/)
})

test('[G22] a toast that came and went is told (B17)', async (driven) => {
  await driven.open('/actions')
  assert.match(await click(driven, /"Toast"/), /Briefly visible: "Saved for good"/)
})

test('[G23] waits for a text to come and to go', async (driven) => {
  await driven.open('/drawn-late')
  const wait = (more: object) => driven.text('computer', { action: 'wait', ...more })
  assert.match(await wait({ text: 'drawn' }), /^The text is on the page, after /)
  assert.match(await wait({ gone: 'never there' }), /^The text is no longer on the page, after /)
  const missing = await driven.failure('computer', { action: 'wait', text: 'never there', duration: 0.3 })
  assert.is(missing, 'The text is not on the page.')
})

test('[G23] a click that the page does not answer says what was done, in time (B4)', async (driven) => {
  await driven.open('/actions')
  const started = performance.now()
  assert.match(
    await click(driven, /"Busy"/),
    /^Clicked e\d+\.\nThe page has not answered in the \d+ s since: it may be busy\./,
  )
  assert.ok(performance.now() - started < 12_000)
})

test('[G24] a target is waited for: enabled, uncovered, clear of bars (B15)', async (driven) => {
  await driven.open('/actions')
  assert.match(await click(driven, /"Soon"/), /"soon"/)
  await click(driven, /"Veil"/, { look: 'none' })
  assert.match(await click(driven, /"Under"/), /"under"/)
  assert.match(await click(driven, /"Low"/), /^Clicked/)
  assert.is(await driven.value('out.textContent'), 'low')
  assert.match(await click(driven, /"Under"/), /^Clicked/)
  assert.is(await driven.value('out.textContent'), 'under')
})

test('[G24] a target that moves slowly under the mouse is pressed when it is at rest', async (driven) => {
  await driven.open('/actions')
  await driven.value(`(() => {
    const slide = Object.assign(document.createElement('button'), { textContent: 'Slide' })
    slide.style.cssText = 'position:fixed;top:0;left:0;width:400px;height:60px'
    slide.onmousedown = () => { out.textContent = slide.getAnimations().length === 0 ? 'at rest' : 'moving' }
    slide.onmouseenter = () => slide.animate([{ left: '0' }, { left: '60px' }], { duration: 600, fill: 'none' })
    document.body.append(slide)
    return true
  })()`)
  assert.match(await click(driven, /"Slide"/), /^Clicked/)
  assert.is(await driven.value('out.textContent'), 'at rest')
})

test('[G24] a disabled target is told and not clicked (B17)', async (driven) => {
  await driven.open('/actions')
  const ref = await driven.ref(/"Off"/)
  assert.match(await driven.failure('computer', { action: 'left_click', ref }), /is disabled, so nothing was done\./)
})

test('[G24] an area of an image map is clicked (B19)', async (driven) => {
  await driven.open('/actions')
  assert.match(await click(driven, /"West"/), /"west"/)
})

test('[G25] a line break is a line break, and the field is told (B3)', async (driven) => {
  await driven.open('/actions')
  const ref = await driven.ref(/"Chat"/)
  const typed = await driven.text('computer', { action: 'type', ref, text: 'one\ntwo' })
  assert.match(typed, /The field now holds "one\\ntwo"\./)
  assert.is(await driven.value('out.textContent'), '')
  const again = await driven.text('computer', { action: 'type', ref, text: 'three', clear: true })
  assert.match(again, /The field now holds "three"\./)
})

test('[G25] an inner box that scrolls is told, and its end (B7)', async (driven) => {
  await driven.open('/actions')
  const scroll = { action: 'scroll', ref: await driven.ref(/"Box"/), scroll_amount: 1 }
  assert.match(await driven.text('computer', scroll), /^Scrolled down\. The inner box is at 100 of \d+ px\./)
  assert.match(await driven.text('computer', { ...scroll, scroll_amount: 20 }), /That is its end\./)
})

test('[G25] a drag ends at a ref (B18)', async (driven) => {
  await driven.open('/actions')
  const [ref, to_ref] = [await driven.ref(/"From"/), await driven.ref(/"To"/)]
  assert.match(await driven.text('computer', { action: 'left_click_drag', ref, to_ref }), /"dropped"/)
})

test('[G25] the button is pressed in one place and let go in another (B18)', async (driven) => {
  await driven.open('/actions')
  await driven.text('computer', { action: 'left_mouse_down', ref: await driven.ref(/"From"/) })
  await driven.text('computer', { action: 'mouse_move', ref: await driven.ref(/"To"/) })
  await driven.text('computer', { action: 'left_mouse_up' })
  assert.is(await driven.value('out.textContent'), 'dropped')
})

test('[G28] printing and permission prompts are told and come to nothing (B17) (B19)', async (driven) => {
  await driven.open('/actions')
  assert.match(await click(driven, /"Print"/), /The page wanted to print\. Nothing was printed\.[\s\S]*"printed"/)
  assert.match(await click(driven, /"Where"/), /asked for a permission of the browser\. It was denied\.[\s\S]*"denied"/)
})

test('[G28] a download is told, read and uploaded; a file field says how (B9)', async (driven) => {
  await driven.open('/actions')
  assert.match(
    await click(driven, /"Data"/),
    /A download is complete: \d+ bytes\. Read it with files\.[\s\S]*File: "data\.csv"/,
  )
  assert.match(await driven.text('files', { action: 'list' }), /"data\.csv" text\/csv/)
  assert.match(await driven.text('files', { action: 'read', name: 'data.csv' }), /zip/)
  const file = await driven.ref(/"File"/)
  assert.match(
    await driven.text('computer', { action: 'left_click', ref: file }),
    /The page asks for a file\. .*files upload/,
  )
  const given = await driven.text('files', { action: 'upload', name: 'data.csv', ref: file })
  assert.match(given, /^Gave the file to e\d+\.[\s\S]*"data\.csv"/)
})

test.both('[G27] tabs are listed, opened, switched and closed; ctrl+click opens one behind (B17)', async (driven) => {
  const { text, pages } = driven
  await driven.open('/actions')
  assert.match(await click(driven, /link "Second"/, { modifiers: 'ctrl' }), /A new window opened: tab 2\./)
  assert.match(await text('tabs', { action: 'list' }), /Tab 1: "Actions" .*\nTab 2: "Second"/)
  assert.match(
    await text('tabs', { action: 'switch', tab: 2 }),
    /^Tab 2 is the tab of this task now\.[\s\S]*Page "Second"/,
  )
  assert.match(await text('tabs', { action: 'open', url: `${pages.origin}/third` }), /Opened tab 3[\s\S]*Page "Third"/)
  assert.match(await text('tabs', { action: 'close' }), /^Closed tab 3\. Tab 2 is the tab of this task\./)
  assert.match(await driven.failure('tabs', { action: 'switch', tab: 9 }), /^There is no tab 9/)
})

test('[G27] a window that nobody clicked for is closed and told (B1)', async (driven) => {
  await driven.open('/actions')
  await driven.tabs.protocolOf('task')?.send('Runtime.evaluate', { expression: `void open('/third')` })
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.match(await driven.text('read_page', {}), /A window that nobody clicked for opened\. It was closed\./)
  assert.is((await driven.text('tabs', { action: 'list' })).match(/^Tab \d+: /gm)?.length, 1)
})

test('[G27] a window that opens long after the click is told and listed, and the tab stays (B1)', async (driven) => {
  await driven.open('/actions')
  const later = { action: 'javascript_exec', look: 'none', text: `setTimeout(() => open('/third'), 1200); 1` }
  await driven.text('javascript_tool', later)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  assert.match(
    await driven.text('read_page', {}),
    /^A new window opened: tab 2\. The tab of this task is still tab 1\.[\s\S]*Page "Actions"/,
  )
  assert.match(await driven.text('tabs', { action: 'list' }), /Tab 2: "Third"/)
  assert.match(await driven.text('tabs', { action: 'switch', tab: 2 }), /Tab 2: "Third"/)
})

test('[G27] a window that typing opens is none that was clicked for (B1)', async (driven) => {
  await driven.open('/actions')
  await driven.value(`void (document.onkeydown = () => open('/third'))`).catch(() => {})
  const ref = await driven.ref(/"Chat"/)
  const typed = await driven.text('computer', { action: 'type', ref, text: 'a' })
  assert.match(typed, /A window that nobody clicked for opened\. It was closed\./)
  assert.match(await driven.text('read_page', {}), /Page "Actions"/)
})

test('[G22] that nothing but the focus changed is said', async (driven) => {
  await driven.open('/second')
  const ref = await driven.ref(/Far button/)
  await driven.text('computer', { action: 'left_click', ref })
  await driven.text('computer', { action: 'key', text: 'Tab' })
  assert.match(
    await driven.text('computer', { action: 'key', text: 'shift+Tab' }),
    /Nothing on the page changed but the focus:/,
  )
})

test('[G26] a dialog can be waited out, and is told as dismissed', async (driven) => {
  await driven.open('/dialogs')
  await driven.text('javascript_tool', { action: 'javascript_exec', text: `setTimeout(() => confirm('Sure?')); 1` })
  const waited = await driven.text('computer', { action: 'wait', duration: 10.5 })
  assert.match(waited, /^Waited 10\.5 s\.\nNobody answered a dialog/)
})

test('[G2] a document without any element is read as an empty page', async (driven) => {
  await driven.open('/first')
  await driven.value('document.documentElement.remove() ?? 1')
  assert.match(await driven.text('read_page', {}), /\(the page is empty\)/)
})

await test.run()
