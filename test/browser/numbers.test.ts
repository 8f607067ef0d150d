import * as assert from 'uvu/assert'
import { samenessOf } from '../../src/browser/act/form/same-value.ts'
import { browserSuite } from '../support/driven-browser.ts'
import { LOCALES, numbers, setAll, spellings } from '../support/numbers.ts'

const test = browserSuite('numbers in fields')

const OTHERS: readonly (readonly [text: string, held: string])[] = [
  ['1,50', '150'],
  ['1.234,50', '1.23450'],
  ['-5', '5'],
  ['−5', '5'],
  ['5', '-5'],
  ['5', '(5.00)'],
  ['-5', '(5.00)'],
  ['5-', '5'],
  ['12.50', '1250'],
  ['1234', '12.34'],
  ['1.5', '1,500'],
  ['1,234', '1234'],
  ['12', '120 kg'],
  ['10.00 to 12.50', '1000 to 1250'],
  ['Room -5', 'Room 5'],
  ['-5', '+7 (916) 5'],
  ['٣٫٥', '35'],
]
const SAME: readonly (readonly [text: string, held: string])[] = [
  ['12.5', '12,50 €'],
  ['12.50', '12.5'],
  ['1234', '1,234'],
  ['1234', '1.234'],
  ['1.5', '1.500'],
  ['−5', '-5'],
  ['1 234,5', '1234.5'],
  ['1’234.50', '1234.5'],
  ['12,34,567', '1234567'],
  ['٣٫٥', '3.5'],
  ['1e3', '1000'],
  ['42424242', '4242 4242'],
  ['05.01.2024', '05/01/2024'],
  ['2024-01-05', '20240105'],
  ['-0', '0'],
  ['B12', 'B-12'],
  ['$1,234.50', '1234.5'],
]
const MADE_OF_IT: readonly (readonly [text: string, held: string])[] = [
  ['916123', '+7 (916) 123'],
  ['12', '12 kg'],
  ['12 kg', '12'],
  ['12 kg', '12 kg (net)'],
  ['007', '7'],
  ['+49301234', '49301234'],
]

test('[G37] numbers are the same as numbers only: sign and decimal mark count', async () => {
  const wrong = (pairs: typeof OTHERS, wanted: string) =>
    pairs.filter(([text, held]) => samenessOf(text, held) !== wanted).map((pair) => pair.join(' → '))
  assert.equal(wrong(OTHERS, 'other'), [])
  assert.equal(wrong(SAME, 'same'), [])
  assert.equal(wrong(MADE_OF_IT, 'made of it'), [])
})

test('[G37] 200 numbers as twelve languages write them: none is taken for another one', async () => {
  const all = LOCALES.flatMap((locale) => numbers(200).flatMap((number) => spellings(number, locale)))
  const strip = (text: string, kept: RegExp) => text.replace(kept, '')
  let same = 0
  for (const number of numbers(200)) {
    for (const text of LOCALES.flatMap((locale) => spellings(number, locale))) {
      // What fields may make of it that is another number, or none.
      for (const held of [
        strip(text, /[-−]/g),
        strip(text, /\D/g),
        text.replace(/[.,٫]/g, ''),
        String(number * 100),
        String(-number),
        String(number / 10),
      ]) {
        const isNumber = Number(held) === number || held === text
        if (!isNumber && samenessOf(text, held) === 'same') {
          // Digits alone may still be the same number in another script.
          const plain = Number(
            held.replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) % 16)).replace(/\D/g, ''),
          )
          assert.is(plain, number, `${text} → ${held}`)
        }
      }
      if (Number.isInteger(number) || !/^\D?\d{1,3}[.,]\d{3}$/.test(text)) {
        if (samenessOf(text, String(number)) === 'same') same += 1
      }
    }
  }
  assert.ok(same > all.length * 0.7, `${same} of ${all.length} are known to be the same`)
})

test('[G37] form_input of numbers in real fields: none is accepted that the field does not hold', async (driven) => {
  const { set, refused } = await setAll(driven, [-5, 1234.5])
  assert.ok(set > 20 && refused > 20, `${set} set, ${refused} refused`)
})

test('[G37] a range is set within what it is told with, or not at all', async ({ show, ref, text, failure, value }) => {
  await show(`<label>Seek <input type="range" min="0" max="100" step="0.01" value="0" aria-valuemin="0" aria-valuemax="12.5"
      aria-valuenow="0" aria-valuetext="0:00 of 0:12" oninput="this.setAttribute('aria-valuetext', '0:05 of 0:12')"></label>
    <label>Rating <input type="range" min="1" max="5" value="3"></label>
    <label>Stubborn <input type="range" min="0" max="10" value="2" oninput="setTimeout(() => { this.value = 2 })"></label>`)
  const page = await text('read_page', {})
  assert.match(page, /slider "Seek" \[e\d+\] range=0\.\.100 at "0:00 of 0:12" value="0"/)
  const seek = await ref(/Seek/)
  assert.match(await text('form_input', { ref: seek, value: '40' }), /was set\.[\s\S]*now holds "40"/)
  assert.match(await text('read_page', {}), /slider "Seek" \[e\d+\].* at "0:05 of 0:12" value="40"/)
  const rating = await ref(/Rating/)
  for (const wanted of ['7', '0', '3.5', '-2', '1,5'])
    assert.match(
      await failure('form_input', { ref: rating, value: wanted }),
      /goes from 1 to 5 in steps of 1|takes a number/,
    )
  assert.is(await value('document.querySelectorAll("input")[1].value'), '3')
  const stubborn = await text('form_input', { ref: await ref(/Stubborn/), value: '8' })
  assert.match(stubborn, /holds something else now\.[\s\S]*now holds "2", not "8"/)
})

test('[G37] a list that goes back to its first line is not said to be set', async ({ show, ref, text }) => {
  await show(`<label>Actions <select onchange="setTimeout(() => { this.selectedIndex = 0 })">
    <option>Choose</option><option>Archive</option></select></label>`)
  assert.match(
    await text('form_input', { ref: await ref(/Actions/), value: 'Archive' }),
    /now holds "Choose", not "Archive"/,
  )
})

test('[G37] a seek that a page takes back is an error', async ({ open, ref, failure, run }) => {
  await open('/media')
  const player = await ref(/audio "Lecture"/)
  await run('javascript_tool', {
    action: 'javascript_exec',
    text: 'sound.onseeked = () => { if (sound.currentTime > 10) sound.currentTime = 3 }; 1',
  })
  assert.match(await failure('form_input', { ref: player, value: '1:05' }), /did not go to 1:05: it is at 0:03/)
})

test.run()
