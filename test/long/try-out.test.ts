import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { openLog } from '../../src/observe/log.ts'
import { endChromium, noChromium, startChromium } from '../observe/inspector/world.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('a try in the shop, with nothing set up')
const TASK_MS_MAX = 120_000

/** A service as it is after `npm start`: no key of a model, no paired browser. */
const start = (env: Record<string, string> = {}) =>
  startService({
    config: readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder(), ...env }),
    log: openLog({ level: 'silent' }),
  })

if (noChromium === null)
  test('[P44] signed up and pressed twice: two orders, and a task of one’s own needs a model', async () => {
    const service = await start()
    const browser = await startChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`${service.url}/dashboard`)
      await page.click('summary >> text=Create an account')
      const form = page.locator('form[action="/dashboard/sign-up"]')
      await form.locator('[name=name]').fill('Ada Lovelace')
      await form.locator('[name=email]').fill('ada@example.com')
      await form.locator('[name=password]').fill('correct horse battery staple')
      await form.locator('button').click()
      for (const which of ['first', 'second']) {
        const at = performance.now()
        await page.getByRole('button', { name: 'Try it in the shop' }).click()
        await page.waitForURL(/\/dashboard\/tasks\//, { timeout: TASK_MS_MAX })
        await page.locator('section.answer').getByText('The order is placed.').waitFor({ timeout: TASK_MS_MAX })
        console.log(`${which} try: ${((performance.now() - at) / 1_000).toFixed(1)} s from the press to the answer`)
        await page.goto(`${service.url}/dashboard`)
      }
      const api = new Api(service.url, service.firstKey ?? '')
      const own = { task: 'Buy tea', browser: { pool: 'default' } }
      assert.is((await api.post('/v1/tasks', own)).json.code, 'model_not_configured')
    } finally {
      await endChromium(browser)
      await service.stop()
    }
  })
else console.log(`SKIPPED 1 ${noChromium}`)

test('[P44] DEMO=off offers nothing, and no task may choose the model', async () => {
  const service = await start({ DEMO: 'off' })
  try {
    const api = new Api(service.url, service.firstKey ?? '')
    const { status, json } = await api.post('/v1/tasks', { task: 'x', model: 'demo', browser: { pool: 'default' } })
    assert.equal([status, json.code], [400, 'model_invalid'])
  } finally {
    await service.stop()
  }
})

test.run()
