import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TO_MODEL } from '../../machines/texts.ts'
import { aScene, calling, settled } from '../support/scene.ts'

const test = suite('notes on sites, in a task')
const TEXT = 'The cart is at the top.'
const NOTE = TO_MODEL.siteNotes('shop.example', TEXT)

/** A task whose browser says where it is after each call. */
async function aTaskAt(protocol: 1 | 2, url: () => string) {
  const scene = await aScene((it) => {
    it.siteNotes = (at) => (at.includes('shop.example') ? { domain: 'shop.example', text: TEXT } : null)
  })
  const browser = scene.browser(protocol)
  browser.result = () => ({ page: { url: url() } })
  const id = await scene.task(browser)
  const roles = () =>
    scene.model.last?.messages.map((message) => ('text' in message ? message.text : message.role)) ?? []
  return { scene, id, roles }
}

test('[L38] they are read once, behind the results of the step that came to the site, and after a restart, too', async () => {
  let url = 'https://search.example/'
  const { scene, id, roles } = await aTaskAt(2, () => url)
  const step = async (at: string) => {
    url = at
    scene.model.answer(calling(['find', { query: at }], ['read_page', {}]))
    await scene.reaches(id, 'thinking')
  }
  await step('https://search.example/')
  assert.not.ok(roles().includes(NOTE))
  await step('https://shop.example/tea')
  await step('https://shop.example/cart')
  const before = roles()
  assert.equal(before.slice(1), ['Let me see.', 'tool', 'Let me see.', 'tool', NOTE, 'Let me see.', 'tool'])
  await scene.reopen()
  await scene.reaches(id, 'thinking')
  await settled()
  assert.equal(roles(), before)
})

test('[L38] a browser of protocol 1 does not say where it is', async () => {
  const { scene, id, roles } = await aTaskAt(1, () => 'https://shop.example/')
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  assert.not.ok(roles().includes(NOTE))
})

test.run()
