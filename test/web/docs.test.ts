import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { openScene } from './live-scene.ts'

const test = suite('the docs, in Chromium')
const { base, context, aRunningTask, open, close } = await openScene()
test.after(close)
await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })

test('[P16] a search by keyboard opens a page that marks the words; a heading’s link is copied', async () => {
  const { page } = await open('/docs')
  await page.keyboard.press('/')
  assert.is(await page.evaluate('document.activeElement.id'), 'q')
  await page.keyboard.type('picture.taken')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/search/)
  await page.locator('.found a', { hasText: 'Read the events' }).click()
  await page.waitForURL(/#read-the-events$/)
  const marked = page.locator('.text mark')
  await eventually(async () => (await marked.count()) > 0, 'marked words')
  for (const word of await marked.allTextContents()) assert.is(word, 'picture.taken')
  await page.locator('#read-the-events').hover()
  await page.locator('#read-the-events .anchor').click()
  await eventually(
    async () => /#read-the-events$/.test(String(await page.evaluate('navigator.clipboard.readText()'))),
    'the link to be copied',
  )
})

test('[P16] on a phone search and contents stay in sight, and the contents close when one is chosen', async () => {
  const { page } = await open('/docs/events')
  await page.setViewportSize({ width: 390, height: 844 })
  const contents = page.locator('#topics')
  assert.is(await contents.isVisible(), false)
  await page.evaluate('scrollTo(0, 2000)')
  await page.getByRole('button', { name: 'Contents' }).click()
  assert.is(await contents.isVisible(), true)
  await contents.getByText('Partial replies').click()
  await eventually(async () => !(await contents.isVisible()), 'the contents to close')
  assert.match(page.url(), /#partial-replies$/)
  const heading = await page.locator('#partial-replies').boundingBox()
  const bar = await page.locator('.side').boundingBox()
  assert.ok(heading && bar && heading.y >= bar.y + bar.height, JSON.stringify({ heading, bar }))
})

test('[P16] an operation that is opened is at the top of the page on a phone, and stays there when the phone is turned', async () => {
  const { page } = await open('/docs')
  await page.setViewportSize({ width: 390, height: 844 })
  const top = async () => (await page.locator('#setMemberRole').boundingBox())?.y ?? Number.NaN
  const isAtTop = async () => (await top()) >= 0 && (await top()) <= 100
  await page.goto(`${base}/docs/api#setMemberRole`)
  await eventually(isAtTop, 'the operation at the top')
  const example = await page.locator('[aria-labelledby="setMemberRole"] .examples').boundingBox()
  const fields = await page.locator('[aria-labelledby="setMemberRole"] .parts').boundingBox()
  assert.ok(example && fields && example.y < fields.y, 'the example stands beside its request')
  for (const size of [
    { width: 844, height: 390 },
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    await eventually(isAtTop, `the operation at the top at ${size.width} px`)
  }
})

test('[P16] the list of operations follows the page: the one that is read is marked, in the middle of the list', async () => {
  const { page } = await open('/docs/api#setMemberRole')
  const current = page.locator('#topics [aria-current]')
  const isInSight = async (id: string) => {
    if ((await current.count()) !== 1 || (await current.getAttribute('href')) !== `#${id}`) return false
    const [link, list] = [await current.boundingBox(), await page.locator('#topics').boundingBox()]
    return link !== null && list !== null && link.y > list.y + 50 && link.y < list.y + list.height - 50
  }
  await eventually(() => isInSight('setMemberRole'), 'the operation that was opened')
  await page.locator('#createApiKey').evaluate((heading) => heading.scrollIntoView())
  await eventually(() => isInSight('createApiKey'), 'the operation that was scrolled to')
})

test('[P25] signed in, examples have the reader’s own task; the language that was chosen is kept', async () => {
  const id = aRunningTask()
  const { page } = await open('/docs/api')
  const examples = page.locator('[aria-labelledby="getTask"] .examples')
  const [curl, python] = ['curl', 'python'].map((language) => examples.locator(`.in-${language}`).first())
  assert.ok(curl && python)
  await eventually(async () => `${await curl.textContent()}`.includes(`$SERVICE/v1/tasks/${id}`), 'the own task')
  assert.equal([await curl.isVisible(), await python.isVisible()], [true, false])
  await examples.getByRole('button', { name: 'Python' }).click()
  assert.equal([await curl.isVisible(), await python.isVisible()], [false, true])
  assert.match(`${await python.textContent()}`, `client.tasks.get("${id}")`)
  const status = await page.evaluate(
    "fetch('/v1/profiles', { method: 'POST', headers: { 'X-Workspace-Id': document.querySelector('.docs').dataset.workspace, 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'orders' }) }).then(({ status }) => status)",
  )
  assert.is(status, 201)
  await page.reload()
  const code = (operation: string) => page.locator(`[aria-labelledby="${operation}"] .in-curl`).first().textContent()
  await eventually(async () => /profiles\/orders/.test(`${await code('getProfile')}`), 'the own profile')
  assert.match(`${await code('createProfile')}`, /"name": "acme"/)
  await page.goto(`${base}/docs/start`)
  const chosen = page.locator('.pick button[aria-pressed="true"]')
  assert.equal(new Set(await chosen.allTextContents()), new Set(['Python']))
})

test.run()
