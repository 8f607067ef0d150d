import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecipeRecord } from '../../../machines/recipe.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask, THEN } from '../../support/stores.ts'

const surface = await makeSurface()
const { taskService, deps } = surface
const { key, workspaceId } = await aKey(surface)
const good = { task: 'Buy {{goods}}', url: 'https://shop.example/?q={{goods}}', browser_session_id: randomUUID() }
const start = (body: object) => surface.ask('POST', '/v1/tasks', { key, body: { ...good, ...body } })
const lastStarted = () => taskService.started.at(-1)?.request

const test = suite('recipes over the API')

test('[J1] a start with inputs has its values; its request has the places', async () => {
  const { status, json } = await start({ inputs: { goods: 'green tea' } })
  assert.equal([status, json.task, json.url], [201, 'Buy green tea', 'https://shop.example/?q=green%20tea'])
  assert.equal([json.request.task, json.request.inputs], [good.task, { goods: 'green tea' }])
})
test('[J1] braces without inputs are ordinary text', async () => {
  assert.is((await start({ url: null })).json.task, good.task)
})
test('[X3] inputs that come to the name of a secret beside one another, or within braces of the template, are refused', async () => {
  for (const [task, inputs] of [
    ['Type {{a}}{{b}}', { a: '{{secret:', b: 'pw}}' }],
    ['Type {{{a}}}', { a: '{secret:pw}' }],
    ['Type {{secret:pw}} or {{{{a}}}}', { a: 'secret:other' }],
  ] as const) {
    const { status, json } = await start({ task, url: null, inputs })
    assert.equal([status, json.code, json.error], [400, 'inputs_invalid', 'inputs make a task that names a secret'])
  }
  assert.is((await start({ task: 'Type {{secret:pw}} at {{a}}', url: null, inputs: { a: 'shop' } })).status, 201)
})
const WRONG = [
  [{}, 'inputs has no value for the place {{goods}}'],
  [{ goods: 'tea', count: 2 }, 'inputs has count, but there is no place {{count}} in task, url or context'],
  [{ goods: ['tea'] }, 'inputs values must be texts of at most 2000 characters, numbers, true or false'],
  [{ Goods: 'tea' }, 'inputs keys must be 1 to 40 of a–z, 0–9 and _'],
  [{ goods: ' '.repeat(2_001) }, 'inputs values must be texts of at most 2000 characters, numbers, true or false'],
  ['tea', 'inputs must be an object'],
  [{ goods: '{{secret:pw}}' }, 'inputs.goods must not name a secret'],
  [{ goods: 'tea {{ Secret : pw }} and more' }, 'inputs.goods must not name a secret'],
] as const
for (const [inputs, error] of WRONG)
  test(`[J1] inputs ${JSON.stringify(inputs).slice(0, 40)} are refused`, async () => {
    const { status, json } = await start({ inputs })
    assert.equal([status, json.code], [400, 'inputs_invalid'])
    assert.is(json.error, error)
  })

test('[J1] a rerun fills the places anew', async () => {
  const template = { task: good.task, url: null, context: null }
  const earlier = aTask({
    workspaceId,
    status: 'complete',
    task: 'Buy green tea',
    template,
    inputs: { goods: 'green tea' },
  })
  taskService.tasksById.set(earlier.id, { ...earlier, state: 'closed' })
  const rerun = (body: object) => surface.ask('POST', `/v1/tasks/${earlier.id}/rerun`, { key, body })
  assert.is((await rerun({})).json.task, 'Buy green tea')
  assert.is((await rerun({ inputs: { goods: 'black tea' } })).json.task, 'Buy black tea')
  assert.is((await rerun({ task: 'Buy coffee' })).json.code, 'inputs_invalid')
})

const made = (fields: Partial<RecipeRecord> = {}): RecipeRecord => ({
  ...{ id: randomUUID(), workspaceId, templateHash: randomUUID(), task: good.task, url: good.url },
  ...{
    createdAt: THEN,
    updatedAt: THEN,
    disabled: false,
    stale: false,
    trial: null,
    deviations: { 2: 1 },
    counted: [],
  },
  runs: { played: 3, deviated: 1, modelCallsSaved: 12, costUsdSaved: 0.5 },
  current: {
    ...{ version: 1, taskId: randomUUID(), madeAt: THEN, inputs: { goods: 'tea' }, unused: [], isWhole: true },
    ...{ modelCalls: 5, tokens: 100, costUsd: 0.1 },
    steps: [
      { tool: 'navigate', input: { url: 'https://shop.example/' }, group: 1 },
      {
        ...{ tool: 'computer', input: { action: 'left_click' }, group: 2 },
        target: { role: 'button', name: 'Buy {{goods}}', alike: 1 },
        expect: { url: 'https://shop.example/orders/*', lines: ['heading "Thank you"'] },
        terms: {
          form: 'POST https://shop.example/orders',
          fields: [
            { name: 'name', value: 'Ada' },
            { name: 'csrf', value: 'x', hidden: true },
          ],
          lines: [],
        },
      },
    ],
  },
  ...fields,
})
const keep = (recipe: RecipeRecord) => deps.store.recipes.change(recipe.workspaceId, recipe.templateHash, () => recipe)

test('[J5] a start plays the recipe of its template, or makes one, as it says', async () => {
  const inputs = { goods: 'tea' }
  assert.equal([(await start({ inputs })).status, lastStarted()?.recipe], [201, undefined])
  assert.is((await start({ inputs, recipe: 'auto' })).status, 201)
  const { templateHash = '' } = lastStarted()?.recipe ?? {}
  assert.equal(lastStarted()?.recipe, { mode: 'auto', templateHash, plays: null })
  assert.equal((await start({ inputs, recipe: 'only' })).json.code, 'recipe_missing')
  const recipe = made({ templateHash })
  await keep(recipe)
  const plays = { id: recipe.id, version: 1 }
  const { json } = await start({ inputs: { goods: 'coffee' }, recipe: 'only' })
  assert.equal(lastStarted()?.recipe, { mode: 'only', templateHash, plays })
  assert.equal([json.recipe, json.request.recipe], [{ ...plays, played: 0, asked: 0 }, 'only'])
  await start({ inputs, recipe: 'new' })
  assert.is(lastStarted()?.recipe?.plays, null)
  await start({ inputs, recipe: 'auto', context: 'Another template' })
  assert.is(lastStarted()?.recipe?.plays, null)
  await keep({ ...recipe, disabled: true })
  assert.is((await start({ inputs, recipe: 'only' })).status, 409)
  assert.is((await start({ inputs, recipe: 'always' })).json.code, 'recipe_invalid')
})

test('[J13] recipes are read, disabled and deleted by their own workspace alone', async () => {
  const recipe = made()
  await keep(recipe)
  const { key: other } = await aKey(surface, randomUUID())
  const path = `/v1/recipes/${recipe.id}`
  const { status, json } = await surface.ask('GET', path, { key })
  assert.is(status, 200)
  assert.equal(
    json.versions[0].steps.map(({ text, expects, irreversible, compared, deviations }: Record<string, unknown>) => [
      ...[text, expects],
      ...[irreversible, compared, deviations],
    ]),
    [
      ['open "https://shop.example/"', null, false, [], 0],
      [
        'click button "Buy {{goods}}"',
        'the page https://shop.example/orders/* with one of heading "Thank you"',
        true,
        // No values, and nothing that a person does not see.
        ['POST https://shop.example/orders', 'name'],
        1,
      ],
    ],
  )
  const list = (await surface.ask('GET', '/v1/recipes?limit=1', { key })).json
  assert.is(list.data.length, 1)
  assert.ok(list.has_more)
  const rest = (await surface.ask('GET', `/v1/recipes?cursor=${list.next_cursor}`, { key })).json
  assert.equal([rest.recipes.length, rest.has_more], [1, false])
  assert.is((await surface.ask('GET', '/v1/recipes?cursor=x', { key })).json.code, 'cursor_invalid')
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { disabled: true }],
    ['DELETE', undefined],
  ] as const)
    assert.is(
      (await surface.ask(method, path, { key: other, ...(body ? { body } : {}) })).json.code,
      'recipe_not_found',
    )
  assert.is((await surface.ask('PATCH', path, { key, body: { disabled: true } })).json.disabled, true)
  assert.is((await surface.ask('PATCH', path, { key, body: {} })).json.disabled, true)
  assert.is((await surface.ask('PATCH', path, { key, body: { enabled: true } })).status, 400)
  assert.equal((await surface.ask('DELETE', path, { key })).json, { id: recipe.id, deleted: true })
  assert.is((await surface.ask('GET', path, { key })).status, 404)
})

test('[J14] a recipe is given as a Playwright test when that is asked for', async () => {
  const recipe = made()
  await keep(recipe)
  const path = `/v1/recipes/${recipe.id}`
  for (const answer of [
    await surface.ask('GET', `${path}?format=playwright`, { key }),
    await surface.ask('GET', path, { key, headers: { accept: 'text/x-playwright' } }),
  ]) {
    assert.is(answer.status, 200)
    assert.match(answer.headers['content-type'] ?? '', 'text/x-playwright')
    assert.match(String(answer.raw.body), "import { expect, test } from '@playwright/test'")
  }
  const asJson = await surface.ask('GET', `${path}?format=json`, { key, headers: { accept: 'text/x-playwright' } })
  assert.is(asJson.json.id, recipe.id)
  assert.is((await surface.ask('GET', `${path}?format=cypress`, { key })).status, 400)
  assert.is((await surface.ask('GET', `/v1/recipes/${randomUUID()}?format=playwright`, { key })).status, 404)
})

test.run()
