import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JournalEntry } from '../../machines/journal.ts'
import type { ActReport, RecipeVersion, Target } from '../../machines/recipe.ts'
import { recipeOf } from '../../machines/recipe-of.ts'
import { nextPlay, stepWords } from '../../machines/recipe-play.ts'
import { NO_USAGE } from '../../machines/records.ts'

const test = suite('the recipe in a log')

const button = (name: string, more: Partial<Target> = {}): ActReport => ({
  target: { role: 'button', name, alike: 1, ...more },
})
const link = (name: string): ActReport => button(name, { role: 'link' })

interface Told {
  readonly act?: ActReport
  /** The page afterwards; the same as before when left out. */
  readonly state?: string
  readonly url?: string
  readonly shows?: string
  readonly failed?: true
}
type Call = readonly [tool: string, input: Record<string, unknown>, told?: Told]
const click = (told: Told): Call => ['computer', { action: 'left_click', ref: 'e1' }, told]
const set = (name: string, value: unknown, told: Told = {}): Call => [
  'form_input',
  { ref: 'e1', value },
  { act: button(name, { role: 'textbox' }), ...told },
]

let logs = 0
/** A log with a reply for each list of calls. */
function journalOf(...replies: readonly (readonly Call[])[]): JournalEntry[] {
  let state = 'start'
  const log = ++logs
  return replies.flatMap((calls, reply): JournalEntry[] => {
    const step = reply + 1
    const common = { step, at: 0 }
    const named = calls.map(([tool, input], at) => ({ requestId: `${log}.${step}.${at}`, tool, input, refusal: null }))
    return [
      { kind: 'reply', ...common, text: '', usage: NO_USAGE, model: 'test', calls: named },
      ...calls.map(([tool, , told = {}], at): JournalEntry => {
        const { act, url, shows = '', failed = false } = told
        state = told.state ?? state
        return {
          ...{
            kind: 'result' as const,
            ...common,
            requestId: `${log}.${step}.${at}`,
            tool,
            failed,
            screenshot: null,
            durationMs: 0,
          },
          text: `Done.\n<page_content>\n${shows}\n</page_content>`,
          ...(act ? { act } : {}),
          ...(url ? { url } : {}),
          state,
        }
      }),
    ]
  })
}
const wordsOf = (journal: readonly JournalEntry[], inputs = {}) =>
  recipeOf(journal, inputs).steps.map((step) => stepWords(step, null))
const open = (url = 'http://shop/', state = 'home'): Call => ['navigate', { url }, { state, url }]

test('[J4] looks, waits, failures and what changed nothing are left out; what sets a field is not', () => {
  const journal = journalOf(
    [open()],
    [
      ['read_page', {}],
      ['find', { query: 'x' }],
      ['computer', { action: 'wait', duration: 1 }],
    ],
    [click({ act: button('Dead') }), click({ act: button('Gone'), state: 'home 2', failed: true })],
    [['computer', { action: 'scroll' }, { state: 'home 3' }]],
    [set('Count', 1), click({ act: button('Buy'), state: 'bought' })],
  )
  assert.equal(wordsOf(journal), [
    'open "http://shop/"',
    'set textbox "Count" to 1',
    'click button "Buy"',
    'get_page_text',
  ])
})

test('[J4] a menu that was closed again and a page from which there was a way back are left out', () => {
  const journal = journalOf(
    [open()],
    [click({ act: button('Menu'), state: 'open' }), click({ act: button('Close'), state: 'home' })],
    [click({ act: link('Terms'), state: 'terms', url: 'http://shop/terms' })],
    [['navigate', { url: 'back' }, { state: 'home', url: 'http://shop/' }]],
    [click({ act: link('Teas'), state: 'teas', url: 'http://shop/teas' })],
  )
  assert.equal(wordsOf(journal), ['open "http://shop/"', 'click link "Teas"', 'get_page_text'])
})

test('[J4] what may have done something elsewhere stays, though the page is what it was', () => {
  const journal = journalOf(
    [open()],
    [click({ act: button('Add'), state: 'added' })],
    [click({ act: link('Cart'), state: 'cart', url: 'http://shop/cart' })],
    [open()],
  )
  assert.is(wordsOf(journal).length, 5)
})

test('[J4] it ends before an act that cannot be found again', () => {
  const { steps, isWhole } = recipeOf(
    journalOf(
      [open()],
      [['computer', { action: 'left_click', coordinate: [1, 2] }, { state: 'drawn' }]],
      [set('Name', 'Ada')],
    ),
    {},
  )
  assert.equal([steps.length, isWhole], [1, false])
})

test('[J4] readings that the answer was made of are kept: those at the end, and those of each page that was only opened', () => {
  const journal = journalOf(
    [open('http://a/', 'a')],
    [['get_page_text', {}]],
    [open('http://b/', 'b')],
    [
      ['read_page', { filter: 'all' }],
      ['get_page_text', {}],
    ],
  )
  assert.equal(wordsOf(journal), ['open "http://a/"', 'get_page_text', 'open "http://b/"', 'get_page_text'])
})

test('[J4] what is expected is the shape of the address, and lines that came', () => {
  const shows = ['+ heading "Thank you, Ada" [e9]', '+ text "Order KL-10023"', '~ link "Cart (0)" [e2]'].join('\n')
  const { steps } = recipeOf(
    journalOf([open()], [click({ act: button('Order'), state: 'thanks', url: 'http://shop/order/10023', shows })]),
    { name: 'Ada' },
  )
  assert.equal(steps[1]?.expect, {
    url: 'http://shop/order/*',
    lines: ['heading "Thank you, {{name}}"', 'text "Order KL-#"'],
  })
})

test('[J4] what was on the page before an act is not expected after it', () => {
  const menu = 'heading "Our shop" [e1]\nlink "All teas" [e2]'
  const { steps } = recipeOf(
    journalOf(
      [['navigate', { url: 'http://shop/' }, { state: 'home', url: 'http://shop/', shows: 'Page "Shop"' }]],
      [['read_page', {}, { url: 'http://shop/', shows: menu }]],
      [
        click({
          act: button('More'),
          state: 'more',
          url: 'http://shop/more',
          shows: `Page "More"\n${menu}\nheading "More teas"`,
        }),
      ],
      [click({ act: button('Less'), state: 'less', url: 'http://shop/', shows: `Page "Shop"\n${menu}` })],
    ),
    {},
  )
  assert.equal(
    steps.slice(1, 3).map(({ expect }) => expect?.lines),
    [['heading "More teas"'], []],
  )
})

test('[J4] what selects a text is kept although the page shows nothing of it', () => {
  const select: Call = ['computer', { action: 'triple_click', ref: 'e1' }, { act: button('Para', { role: 'text' }) }]
  const words = wordsOf(journalOf([open()], [select], [click({ act: button('Submit'), state: 'sent' })]))
  assert.equal(words.slice(1, 3), ['triple-click text "Para"', 'click button "Submit"'])
})

test('[J4] a drag is kept although the page shows nothing of where things lie; a button let go nowhere ends the recipe', () => {
  const act = { ...button('s', { role: 'clickable' }), toTarget: { role: 'clickable', name: 'L', alike: 1 } }
  const drag: Call = ['computer', { action: 'left_click_drag', ref: 'e1', to_ref: 'e2' }, { act }]
  const submit = click({ act: button('Submit'), state: 'sent' })
  assert.equal(wordsOf(journalOf([open()], [drag], [submit])).slice(1, 3), [
    'drag clickable "s" to clickable "L"',
    'click button "Submit"',
  ])
  const letGo: Call = ['computer', { action: 'left_mouse_up' }, {}]
  assert.equal(recipeOf(journalOf([open()], [letGo], [submit]), {}).isWhole, false)
})

test('[J4] a shortcut is kept although the page shows nothing of it', () => {
  const type = (text: string, state: string): Call => [
    'computer',
    { action: 'type', text },
    { act: button('Body', { role: 'textbox' }), state },
  ]
  const key = (text: string): Call => ['computer', { action: 'key', text }, { act: button('Body') }]
  const words = wordsOf(
    journalOf([open()], [type('Dear ', 'dear')], [key('ctrl+b')], [key('Escape')], [type('Ada', 'ada')]),
  )
  assert.equal(words.slice(1, 4), [
    'type "Dear " into textbox "Body"',
    'press ctrl+b in button "Body"',
    'type "Ada" into textbox "Body"',
  ])
})

test('[J4] inputs that were used nowhere are told', () => {
  const { unused, steps } = recipeOf(journalOf([open()], [set('Name', 'Ada')]), { name: 'Ada', size: 'large' })
  assert.equal([unused, steps[1]?.input.value], [['size'], '{{name}}'])
})

test('[J7] an input that no act depends on may have decided what was done: with another value nothing is', () => {
  // A heading may show a value by chance.
  const act = button('Buy', { heading: 'The large one' })
  const distilled = recipeOf(journalOf([open()], [click({ act, state: 'bought' })]), { size: 'large' })
  const version = { ...distilled, inputs: { size: 'large' } } as unknown as RecipeVersion
  assert.equal(version.unused, ['size'])
  const opened = journalOf([open()]).map((entry) =>
    entry.kind === 'reply' ? { ...entry, played: { from: 0, of: 3 } } : entry,
  )
  assert.is(nextPlay(version, [], { size: 'small' }).kind, 'acts')
  assert.is(nextPlay(version, opened, { size: 'large' }).kind, 'acts')
  assert.equal(nextPlay(version, opened, { size: 'small' }), {
    kind: 'deviated',
    deviation: {
      step: 2,
      expected: 'click button "Buy"',
      found: 'size is "small", and no step says what that changes',
    },
  })
})

test('[J7] what was copied from a page is typed only where a page has shown it again', () => {
  const files = (name: string): Call => [
    'navigate',
    { url: 'http://a/' },
    { url: 'http://a/', shows: `text "${name}.txt old"` },
  ]
  const done = journalOf([files('sod')], [set('Command', 'rm sod.txt now')])
  const { steps, ...rest } = recipeOf(done, { kind: 'txt' }, 'Delete a {{kind}} file now')
  assert.equal(steps[1]?.copied, ['sod'])
  const version = { ...rest, steps, inputs: { kind: 'txt' } } as unknown as RecipeVersion
  const playing = (name: string) => {
    const opened = journalOf([files(name)]).map((entry) =>
      entry.kind === 'reply' ? { ...entry, played: { from: 0, of: 3 } } : entry,
    )
    return nextPlay(version, opened, { kind: 'txt' })
  }
  assert.is(playing('sod').kind, 'acts')
  assert.equal(playing('soda'), {
    kind: 'deviated',
    deviation: {
      step: 2,
      expected: 'set textbox "Command" to "rm sod.txt now"',
      found: '"sod" was copied from a page, and no page has shown it now',
    },
  })
})

test('[J6] what comes next is in the log alone', () => {
  const journal = journalOf([open()], [set('Name', 'Ada'), click({ act: button('Buy'), state: 'b' })])
  const version = { ...recipeOf(journal, {}), inputs: {} } as unknown as RecipeVersion
  const playing = (entries: readonly JournalEntry[]) => nextPlay(version, entries, {})
  const played = (from: number, calls: readonly Call[]): JournalEntry[] =>
    journalOf(calls).map((entry) => (entry.kind === 'reply' ? { ...entry, played: { from, of: 4 } } : entry))
  assert.equal(playing([]), { kind: 'acts', from: 0, steps: version.steps.slice(0, 1) })
  const opened = played(0, [open()])
  assert.equal(playing(opened), { kind: 'acts', from: 1, steps: version.steps.slice(1, 3) })
  // What is behind an act that led elsewhere was not run.
  const halted = played(1, [set('Name', 'Ada')]).map((entry) =>
    entry.kind === 'result' ? { ...entry, halts: 'navigation' as const } : entry,
  )
  assert.equal(playing([...opened, ...halted]), { kind: 'acts', from: 2, steps: version.steps.slice(2, 3) })
  const failed = played(1, [set('Name', 'Ada', { failed: true, act: { refused: 'nothing like it' } })])
  assert.equal(playing([...opened, ...failed]), {
    kind: 'deviated',
    deviation: { step: 2, expected: 'set textbox "Name" to "Ada"', found: 'nothing like it' },
  })
  assert.equal(playing([...opened, ...journalOf([open()])]), { kind: 'model' })
  assert.is(playing([...opened, { kind: 'message', text: 'Stop', at: 0 }]).kind, 'deviated')
})

test.run()
