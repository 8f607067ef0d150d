import * as assert from 'uvu/assert'
import * as v from 'valibot'
import type { RecipeVersion } from '../../machines/recipe.ts'
import { ActReport } from '../../src/wire/acts.ts'
import { browserSuite } from '../support/driven-browser.ts'
import { DRIFTS, type Drift, FIRST, openSite, ordering } from '../support/recipes/drift.ts'
import { played, recorded } from '../support/recipes/player.ts'

const test = browserSuite('recipes on pages that change')

const site = await openSite()
let recipe: RecipeVersion | null = null

test('[J2 J4] what a model did is kept with its targets, what came of it, and its terms', async ({ tabs }) => {
  site.variant = { banner: true }
  recipe = await recorded(tabs, 'first', ordering(site.url, FIRST), FIRST)
  assert.equal(site.orders, ['Ceylon, Ada, Express'])
  assert.equal([recipe.isWhole, recipe.unused], [true, []])
  assert.equal(
    recipe.steps.map(({ tool, target, optional, terms }) => [
      tool,
      target?.name,
      optional ?? false,
      terms !== undefined,
    ]),
    [
      ['navigate', undefined, false, false],
      ['computer', 'Reject', true, false],
      ['computer', 'Order', false, false],
      ['form_input', 'Name', false, false],
      ['form_input', 'Delivery', false, false],
      ['computer', 'Place order', false, true],
      ['get_page_text', undefined, false, false],
    ],
  )
  assert.match(recipe.steps[2]?.target?.row ?? '', '{{goods}}')
  assert.is(recipe.steps[3]?.input.value, '{{name}}')
})

test('[J2 G32] what is told of an act is within what a frame may have, whatever the page calls its parts', async ({
  tabs,
  open,
  run,
}) => {
  await open('/form')
  const text = `const form = document.body.appendChild(document.createElement('form'))
    form.action = '/' + 'a'.repeat(4000)
    form.innerHTML = '<input type=hidden name=action><button name=' + 'n'.repeat(4000) + ' id=' + 'i'.repeat(4000) + '>Buy now</button>'
    form.onsubmit = () => false`
  await run('javascript_tool', { action: 'javascript_exec', text })
  const { content } = await run('find', { query: 'Buy now' })
  const input = { action: 'left_click', ref: /\[(e\d+)\]/.exec(content)?.[1] }
  const never = new AbortController().signal
  const { act } = await tabs.execute('task', 'computer', input, never, null, [], null, null, {})
  assert.equal(v.safeParse(ActReport, act).issues, undefined)
  assert.match(act?.terms?.form ?? '', /^GET http/)
})

test('[J8] an order in a dialog that offers a newsletter, too, has terms; what only closes a banner has none', async ({
  tabs,
  open,
  run,
}) => {
  await open('/form')
  const text = `const box = document.body.appendChild(document.createElement('div'))
    box.style = 'position: fixed; inset: 0; background: white'
    box.innerHTML = '<p>Total 52.50</p><label><input type=checkbox>Subscribe to the newsletter</label>' +
      ['Place order', 'Accept all', 'Confirm my choices', 'Reject'].map((name) => '<button>' + name + '</button>').join('')`
  await run('javascript_tool', { action: 'javascript_exec', text })
  const never = new AbortController().signal
  const lines: (readonly string[] | undefined)[] = []
  for (const query of ['Place order', 'Accept all', 'Confirm my choices', 'Reject']) {
    const { content } = await run('find', { query })
    const input = { action: 'left_click', ref: /\[(e\d+)\]/.exec(content)?.[1] }
    const { act } = await tabs.execute('task', 'computer', input, never, null, [], null, null, {})
    assert.is(act?.target?.overlay, true)
    lines.push(act?.terms?.lines.filter((line) => line.includes('52.50')))
  }
  assert.equal(lines, [['text "Total 52.50"'], undefined, undefined, undefined])
})

/** A few of every day; all of them, or those with such a name, by `DRIFTS`. */
const wanted = process.env.DRIFTS
const DAILY = [
  'other inputs',
  'ids and classes changed',
  'another price',
  'two equal buttons',
  'another page of thanks',
]
for (const drift of DRIFTS.filter(({ name }) => (wanted ? new RegExp(wanted).test(name) : DAILY.includes(name))))
  test(`[J3 J7 J8 J9] ${drift.name}: ${drift.deviates === undefined ? 'played' : 'handed over'}`, async ({ tabs }) => {
    await drifted(tabs, drift)
  })

async function drifted(tabs: Parameters<typeof played>[0], { name, variant, inputs = FIRST, deviates }: Drift) {
  if (!recipe) throw new Error('There is no recipe')
  site.orders.length = 0
  site.variant = variant
  const { deviation } = await played(tabs, name, recipe, inputs)
  assert.is(deviation?.step, deviates, JSON.stringify(deviation))
  const wanted = `${inputs.goods}, ${inputs.name}, Express`
  // What was ordered is what was asked for, or nothing.
  const expected = deviates === undefined || name === 'another page of thanks' ? [wanted] : []
  assert.equal(site.orders, expected)
}

await test.run()
