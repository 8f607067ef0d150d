import * as assert from 'uvu/assert'
import type { RecipeVersion, Values } from '../../machines/recipe.ts'
import { browserSuite } from '../support/driven-browser.ts'
import { DRIFTS, FIRST, openSite, ordering } from '../support/recipes/drift.ts'
import { type Act, played, recorded } from '../support/recipes/player.ts'

/** What a recipe does on pages that are other ones than the first time: a table; no wrong act and no wrong answer. */
const test = browserSuite('recipes on pages that change, as a table')
const CASES = 41

const site = await openSite()
let recipe: RecipeVersion | null = null
const rows: string[] = []
const wrong = { acts: 0, answers: 0 }

test('[J2 J4] what a model did once', async ({ tabs }) => {
  site.variant = { banner: true }
  recipe = await recorded(tabs, 'first', ordering(site.url, FIRST), FIRST)
  assert.equal(site.orders, ['Ceylon, Ada, Express'])
})

for (const { name, variant, inputs = FIRST, deviates } of DRIFTS)
  test(`[J3 J7 J8 J9] ${name}`, async ({ tabs }) => {
    if (!recipe) throw new Error('There is no recipe')
    site.orders.length = 0
    site.variant = variant
    const deviation = rowOf(name, inputs, await played(tabs, name, recipe, inputs))
    assert.is(deviation?.step, deviates, JSON.stringify(deviation))
  })

/** Notes what it did; a wrong order or a wrong answer fails the test. */
function rowOf(name: string, { goods, name: who }: Values, { deviation, read }: Awaited<ReturnType<typeof played>>) {
  const wanted = `${goods}, ${who}, Express`
  // What was ordered is what was asked for, once, or nothing.
  const acts = site.orders.filter((order) => order !== wanted).length + Math.max(0, site.orders.length - 1)
  // What it read for the answer is the number of this order.
  const isRight = deviation !== null || read.includes(`Order number: ${1_000 + site.orders.length}`)
  wrong.acts += acts
  wrong.answers += isRight ? 0 : 1
  const how = deviation ? `handed over at step ${deviation.step}: ${deviation.found}` : 'played to its end'
  rows.push(
    `${name.padEnd(48)} ${site.orders.length} orders, ${acts} wrong  ${how.replaceAll(/\s+/g, ' ').slice(0, 110)}`,
  )
  assert.equal([acts, isRight], [0, true], JSON.stringify([site.orders, deviation]))
  return deviation
}

test('[J8] form that somebody filled in the meantime: text that is not the recipe’s is not sent', async ({ tabs }) => {
  const acts: Act[] = ordering(site.url, FIRST)
  site.variant = { banner: true, note: '' }
  const withNote = await recorded(tabs, 'note', acts, FIRST)
  site.orders.length = 0
  site.variant = { banner: true, note: 'Leave it with the neighbours' }
  const deviation = rowOf('a text in the form by somebody else', FIRST, await played(tabs, 'noted', withNote, FIRST))
  assert.match(deviation?.found ?? '', 'note')
  assert.equal(site.orders, [])
})

test(`${CASES} cases, none of them wrong`, async () => {
  console.log(`\n${rows.join('\n')}`)
  const handed = rows.filter((row) => row.includes('handed over')).length
  console.log(
    `${rows.length} cases: ${rows.length - handed} played to the end, ${handed} handed over; wrong acts ${wrong.acts}, wrong answers ${wrong.answers}`,
  )
  assert.equal([rows.length, wrong], [CASES, { acts: 0, answers: 0 }])
})

await test.run()
