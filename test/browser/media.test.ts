import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('players, and controls of the newer kinds')

test('[G29] a player has a ref and a state; it is played, paused, sought and muted (G4)', async ({
  open,
  text,
  ref,
  value,
  failure,
}) => {
  await open('/media')
  assert.match(await text('read_page', {}), /audio "Lecture" \[e\d+\] paused value="0:00 of 1:30"/)
  const player = await ref(/audio "Lecture"/)
  const set = (wanted: unknown) => text('form_input', { ref: player, value: wanted })
  assert.match(await set('1:05'), /now holds "paused at 1:05 of 1:30"/)
  assert.is(await value('sound.currentTime'), 65)
  assert.match(await set('mute'), /now holds "paused at 1:05 of 1:30, muted"/)
  assert.match(await set('play'), /now holds "playing at 1:0\d of 1:30, muted"/)
  assert.is(await value('sound.paused'), false)
  assert.match(await text('read_page', {}), /audio "Lecture" \[e\d+\] playing muted value="1:30"/)
  assert.match(await set('pause'), /now holds "paused at/)
  assert.match(await failure('form_input', { ref: player, value: '9:00' }), /is 1:30 long\./)
  assert.match(
    await failure('form_input', { ref: player, value: 'louder' }),
    /takes play, pause, mute, unmute or a time/,
  )
})

test('[G16] a row that can be expanded has a ref, and a list of the newer kind is told when it is open (G9)', async ({
  open,
  text,
  ref,
}) => {
  await open('/media')
  const page = await text('read_page', {})
  assert.match(page, /row "Thread \| 3" \[e\d+\] collapsed\n/)
  assert.match(page, /row "Alone \| 1"\n/)
  const clicked = await text('computer', { action: 'left_click', ref: await ref(/row "Thread/) })
  assert.match(clicked, /~ row "Thread \| 3" \[e\d+\] expanded/)
  const opened = await text('computer', { action: 'left_click', ref: await ref(/combobox "Colour"/) })
  assert.match(opened, /combobox "Colour" \[e\d+\] expanded/)
})

test("[G29] a form control of the page's own making is set by the field in its closed shadow tree (G9)", async ({
  open,
  text,
  ref,
  value,
}) => {
  await open('/media')
  await text('read_page', {})
  const answer = await text('form_input', { ref: await ref(/Hidden away/), value: 'Ada' })
  assert.match(answer, /now holds "Ada"/)
  assert.is(await value(`document.querySelector('secret-field').value`), 'Ada')
})

test("[G29] a form control of the page's own making without a field is set by its value (G9)", async ({
  open,
  text,
  ref,
  value,
  failure,
}) => {
  await open('/media')
  const rating = await ref(/"Rating"/)
  assert.match(await text('form_input', { ref: rating, value: '4' }), /now holds "4"/)
  assert.is(await value(`document.querySelector('star-rating').value`), '4')
  assert.match(await failure('form_input', { ref: rating, value: '9' }), /did not take the value: it holds "5" now\./)
  assert.match(await failure('form_input', { ref: await ref(/"Plain"/), value: '9' }), /is no form control\./)
})

await test.run()
