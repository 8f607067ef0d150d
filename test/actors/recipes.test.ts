import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecipeRecord } from '../../machines/recipe.ts'
import { stepWords } from '../../machines/recipe-play.ts'
import { bought, buying, SceneShop } from '../support/scene/recipes.ts'
import { aScene, calling, type Scene, settled } from '../support/scene.ts'

const test = suite('recipes')

const recipeIn = (scene: Scene): RecipeRecord => {
  const [recipe] = scene.store.recipes.values()
  if (!recipe) throw new Error('No recipe was made')
  return recipe
}
const playing = (scene: Scene, mode: 'auto' | 'only' = 'auto') => {
  const { id, current, trial } = recipeIn(scene)
  return { mode, plays: { id, version: (trial ?? current).version } }
}
const kindsOf = (scene: Scene, taskId: string) => scene.store.entries(taskId).map(({ kind }) => kind)
const answering = async (scene: Scene, answer: string) => {
  scene.model.answer(calling(['finish', { success: true, answer }]))
  await settled()
}
const MAKES = { mode: 'auto', plays: null } as const

/** A shop in which tea was bought once, and the recipe of it. */
async function learned() {
  const scene = await aScene()
  const shop = new SceneShop(scene)
  const id = await buying(scene, shop, 'green tea', MAKES)
  await bought(scene, 'green tea')
  assert.is(scene.record(id).status, 'complete', scene.record(id).answer ?? '')
  return { scene, shop, id }
}

test('[J2 J4 J5 J12] a task that ends with success makes a recipe of what mattered, and says so before its end', async () => {
  const { scene, shop, id } = await learned()
  const { current, trial, templateHash } = recipeIn(scene)
  assert.equal([templateHash, current.version, current.taskId, trial], ['of-buying', 1, id, null])
  assert.equal(
    current.steps.map((step) => stepWords(step, null)),
    [
      'open "http://shop/"',
      'click button "Close" if it is there',
      'set searchbox "Search" to "{{goods}}"',
      'click button "Buy"',
      'get_page_text',
    ],
  )
  assert.equal(kindsOf(scene, id).slice(-2), ['recipe.made', 'task.ended'])
  assert.equal(scene.record(id).recipeRun, { id: recipeIn(scene).id, version: 1, played: 0, asked: 4 })
  assert.equal(shop.bought, ['green tea'])
})

test('[J6 J11 J12] it is played with other inputs, and the model is asked for the answer alone', async () => {
  const { scene, shop } = await learned()
  const asked = scene.model.asked
  const id = await buying(scene, shop, 'black tea', playing(scene))
  await settled()
  assert.equal(shop.bought, ['green tea', 'black tea'])
  assert.is(scene.model.asked, asked + 1)
  const read = JSON.stringify(scene.model.last?.messages)
  assert.match(read, 'Number: 2')
  assert.match(read, 'Buy black tea')
  await answering(scene, 'Black tea was bought.')
  const { status, answer, recipeRun } = scene.record(id)
  assert.equal([status, answer], ['complete', 'Black tea was bought.'])
  assert.equal(recipeRun, { id: recipeIn(scene).id, version: 1, played: 5, asked: 1 })
  assert.equal([recipeIn(scene).runs.played, recipeIn(scene).runs.modelCallsSaved], [1, 3])
  assert.ok(kindsOf(scene, id).includes('recipe.step'))
})

test('[J7] a banner that is not there is passed over', async () => {
  const { scene, shop } = await learned()
  shop.hasBanner = false
  const id = await buying(scene, shop, 'black tea', playing(scene))
  await settled()
  assert.equal(shop.bought, ['green tea', 'black tea'])
  await answering(scene, 'Bought.')
  assert.is(scene.record(id).recipeRun?.played, 4)
})

test('[J9 J10 J12] where the page is another one the model goes on, and what it did is on trial', async () => {
  const { scene, shop } = await learned()
  shop.buy = 'Order'
  const asked = scene.model.asked
  const id = await buying(scene, shop, 'black tea', playing(scene))
  await settled()
  assert.is(scene.model.asked, asked + 1)
  const last = scene.model.last?.messages.at(-1)
  const told = last?.role === 'user' ? last.text : ''
  for (const words of ['set searchbox "Search" to "black tea"', 'Expected: ', 'click button "Buy"', 'nothing like it'])
    assert.match(told, words)
  assert.not.match(told, '4. click')
  assert.equal(shop.bought, ['green tea'])
  scene.model.answer(calling(['computer', { action: 'left_click', target: { name: 'Order' } }]))
  await settled()
  await answering(scene, 'Bought.')
  const { recipeRun, status } = scene.record(id)
  assert.equal([status, recipeRun?.deviation?.step], ['complete', 4])
  assert.ok(kindsOf(scene, id).includes('recipe.deviated'))
  const { current, trial, runs } = recipeIn(scene)
  assert.equal([current.version, trial?.version, runs.deviated], [1, 2, 1])
  await buying(scene, shop, 'white tea', playing(scene))
  await settled()
  await answering(scene, 'Bought.')
  assert.equal(shop.bought, ['green tea', 'black tea', 'white tea'])
  assert.equal([recipeIn(scene).current.version, recipeIn(scene).trial], [2, null])
})

test('[J9 J10] without a model the task ends, and the second time at the same step the recipe is stale', async () => {
  const { scene, shop } = await learned()
  shop.buy = 'Order'
  const asked = scene.model.asked
  for (const stale of [false, true]) {
    const id = await buying(scene, shop, 'black tea', playing(scene, 'only'))
    await settled()
    assert.equal([scene.record(id).status, scene.record(id).endedBy], ['error', 'recipe_deviated'])
    assert.is(recipeIn(scene).stale, stale)
  }
  assert.is(scene.model.asked, asked)
  assert.equal(shop.bought, ['green tea'])
})

test('[J11] without a model the answer is what was read last', async () => {
  const { scene, shop } = await learned()
  const asked = scene.model.asked
  const id = await buying(scene, shop, 'black tea', playing(scene, 'only'))
  await settled()
  assert.is(scene.model.asked, asked)
  assert.is(scene.record(id).status, 'complete')
  assert.match(scene.record(id).answer ?? '', 'Number: 2')
})

const NUMBER = JSON.stringify({ type: 'object', properties: { number: { type: 'number' } }, required: ['number'] })

test('[J15] an output is read again where it was read, without a model; what is not there is asked of one', async () => {
  const scene = await aScene()
  const shop = new SceneShop(scene)
  const first = await buying(scene, shop, 'green tea', MAKES, { outputSchema: NUMBER })
  await bought(scene, 'green tea', { number: 1 })
  assert.is(scene.record(first).status, 'complete', scene.record(first).answer ?? '')
  const asked = scene.model.asked
  for (const [mode, number] of [
    ['auto', 2],
    ['only', 3],
  ] as const) {
    const id = await buying(scene, shop, 'black tea', playing(scene, mode), { outputSchema: NUMBER })
    await settled()
    assert.equal([scene.record(id).status, scene.record(id).output], ['complete', JSON.stringify({ number })])
    assert.is(scene.record(id).usage.apiCalls, 0)
  }
  assert.is(scene.model.asked, asked)
  shop.words = 'No.'
  const only = await buying(scene, shop, 'black tea', playing(scene, 'only'), { outputSchema: NUMBER })
  await settled()
  assert.equal([scene.record(only).endedBy, scene.record(only).output], ['recipe_deviated', null])
  await buying(scene, shop, 'black tea', playing(scene), { outputSchema: NUMBER })
  await settled()
  assert.is(scene.model.asked, asked + 1)
})

test('[J6 X3 F2] its calls are refused as those of a model: an unknown secret is not typed, a foreign address not opened', async () => {
  const { scene, shop } = await learned()
  const recipe = recipeIn(scene)
  const [, , search] = recipe.current.steps
  assert.is(search?.tool, 'form_input')
  const secret = recipe.current.steps.map((step) =>
    step === search ? { ...step, input: { value: '{{secret:pin}}' } } : step,
  )
  const foreign = recipe.current.steps.map((step) =>
    step.tool === 'navigate' ? { ...step, input: { url: 'http://elsewhere/' } } : step,
  )
  for (const [steps, at, allowedDomains, found] of [
    [secret, 3, null, 'no secret "pin"'],
    [foreign, 1, ['shop'], 'may only open pages of shop'],
  ] as const) {
    scene.store.recipes.set(recipe.id, { ...recipe, current: { ...recipe.current, steps } })
    const id = await buying(scene, shop, 'black tea', playing(scene, 'only'), { allowedDomains })
    await settled()
    const { endedBy, recipeRun } = scene.record(id)
    assert.equal([endedBy, recipeRun?.deviation?.step], ['recipe_deviated', at])
    assert.match(recipeRun?.deviation?.found ?? '', found)
  }
  assert.equal(shop.bought, ['green tea'])
})

test('[J6] a crash in the middle is as harmless as in any task', async () => {
  const { scene, shop } = await learned()
  for (let calls = 1; calls <= 5; calls++) {
    const before = shop.bought.length
    shop.browser.answers = true
    let seen = 0
    const { result } = shop.browser
    shop.browser.result = (frame) => {
      const done = result(frame)
      seen++
      // Its result is lost with the service.
      if (seen === calls) scene.crash()
      return done
    }
    const id = await buying(scene, shop, `tea ${calls}`, playing(scene)).catch(() => null)
    await settled()
    shop.browser.result = result
    await scene.open()
    shop.browser.connect()
    await settled()
    assert.equal(shop.bought.slice(before), [`tea ${calls}`])
    if (id !== null && scene.model.waiting.length > 0) await answering(scene, 'Bought.')
  }
})

test.run()
