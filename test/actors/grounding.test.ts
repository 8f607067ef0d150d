import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { groundingOf, unsourcedIn } from '../../actors/conversation/grounding.ts'
import { pageContent } from '../../actors/conversation/page-content.ts'
import type { JournalEntry } from '../../machines/records.ts'
import { anEntry } from '../support/stores.ts'

const test = suite('grounding')

const seen = (step: number, page: string, said = ''): JournalEntry => ({
  ...anEntry(said + pageContent(page)),
  step,
})
const sources = (output: unknown, ...journal: JournalEntry[]) =>
  Object.fromEntries(Object.entries(groundingOf(output, journal).sources).map(([at, { step }]) => [at, step]))
const isSeen = (value: unknown, page: string) => groundingOf({ value }, [seen(1, page)]).ungrounded.length === 0

test('[L34] each value has the last step at which a page showed it; what no page showed is named', () => {
  const journal = [seen(1, 'Kyoto teapot €48.00'), seen(2, 'Sencha tea'), seen(4, 'Kyoto teapot, 2 left')]
  const output = { items: [{ name: 'Kyoto teapot', price: 48, left: 2 }], 'a/b': 'Invented', ok: true, none: null }
  assert.equal(groundingOf(output, journal), {
    sources: { '/items/0/name': { step: 4 }, '/items/0/price': { step: 1 }, '/items/0/left': { step: 4 } },
    ungrounded: ['/a~1b'],
  })
})

test('[L34] case, white space, punctuation and the refs of a tree do not count; parts of words do', () => {
  assert.ok(isSeen('Green tea, 100 g', 'link "GREEN  TEA" [ref=e12]: 100\n  g'))
  assert.ok(isSeen('€12.50', 'Total: 12.50 €'))
  assert.ok(isSeen('ﬁne tea', 'Fine tea'))
  assert.not.ok(isSeen('tea', 'A steady hand'))
  assert.ok(isSeen('抹茶ラテ', '温かい抹茶ラテです'))
  assert.not.ok(isSeen('---', '- - -'))
  assert.ok(isSeen('https://shop.example/product/kyoto?size=1', 'link "Kyoto" url=/product/kyoto?size=1'))
})

for (const [value, page] of [
  [48, '€48.00'],
  [1234.5, '1,234.50'],
  [1234.5, '1.234,50 €'],
  [1234567, '1 234 567'],
  [1234, '1,234'],
  [1.234, '1,234 kg'],
  [12.5, '12,5'],
  [-3, '−3 °C'],
  [2, 'Quantity: 2.'],
] as const)
  test(`[L34] ${value} is seen in ${page}`, () => assert.ok(isSeen(value, page)))

for (const [value, page] of [
  [48, '480'],
  [48, '48.50'],
  [12, 'button "Buy" [ref=e12]'],
  [5, '1,234.5'],
  [-3, '3'],
] as const)
  test(`[L34] ${value} is not seen in ${page}`, () => assert.not.ok(isSeen(value, page)))

test('[L34] what a tool says itself, and what the model said, is no source', () => {
  const reply: JournalEntry = {
    ...{ kind: 'reply', step: 1, text: 'I type Invented', model: 'm', at: 1 },
    calls: [{ requestId: 'r', tool: 'computer', input: { text: 'Invented' }, refusal: null }],
    usage: { inputTokens: 0, outputTokens: 0, apiCalls: 1 },
  }
  assert.equal(sources({ name: 'Invented' }, reply, seen(1, 'An empty form', 'Typed "Invented".\n')), {})
})

test('[L34] strings of two characters are not looked for', () => {
  assert.equal(groundingOf({ unit: 'kg' }, []), { sources: {}, ungrounded: [] })
})

test('[L34] an output of thousands of values against a long journal is judged in time', () => {
  const page = Array.from({ length: 8_000 }, (_, at) => `row ${at}`).join('\n')
  const journal = Array.from({ length: 50 }, (_, step) => seen(step, page))
  const before = performance.now()
  const { ungrounded } = groundingOf({ rows: Array.from({ length: 5_000 }, (_, at) => `gone ${at}`) }, journal)
  assert.is(ungrounded.length, 1_000)
  assert.ok(performance.now() - before < 3_000)
})

const PAGE = 'Kyoto Teapot €1,234.50, order no. KYO-1234, Ada Lovelace, ada@example.com, link "Terms" -> /terms?v=2'
for (const [answer, unsourced] of [
  ['The Kyoto Teapot costs 1.234,50 €.', []],
  ['Order KYO-1234 was sent to Ada Lovelace (ada@example.com).', []],
  ['See https://shop.example/terms?v=2.', []],
  ['1. Two pieces\n2. One cup', []],
  ['I bought the teapot and all went well.', []],
  ['It is called "Terms".', []],
  ['The Kyoto Teapot costs $99.', ['99']],
  ['Order KYO-9999 for Grace Hopper.', ['KYO-9999', 'Grace Hopper']],
  ['It says “Out of stock”, at https://shop.example/gone, 99.', ['Out of stock', 'https://shop.example/gone', '99']],
] as const)
  test(`[L25] ${answer}: ${unsourced.length === 0 ? 'seen' : unsourced.join(', ')}`, () =>
    assert.equal(unsourcedIn(answer, [seen(1, PAGE)], ''), unsourced))

test('[L25] [L34] an address that the page tells by its own is one that it tells', () => {
  const entry = { ...seen(1, 'link "Ada" [e3] -> ./7/change/'), url: 'https://shop.example/admin/customer/?page=2' }
  const answer = 'See https://shop.example/admin/customer/7/change/'
  assert.equal(unsourcedIn(answer, [entry], ''), [])
  assert.equal(unsourcedIn(answer.replace('7', '8'), [entry], ''), ['https://shop.example/admin/customer/8/change/'])
  assert.equal(groundingOf({ url: '/admin/customer/7/change/' }, [entry]).ungrounded, [])
})

test('[L25] what the user said needs no source, what the tools say is none', () => {
  assert.equal(unsourcedIn('Table 12 at 19:30.', [seen(1, 'x', 'Clicked 12 at 19:30.')], ''), ['12', '19:30'])
  assert.equal(unsourcedIn('Table 12 at 19:30.', [], 'A table at 19:30, number 12 if you can'), [])
})

test.run()
