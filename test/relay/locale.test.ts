import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { firstMessage } from '../../actors/conversation/prompt.ts'
import { Register } from '../../src/wire/relay.ts'
import { Scene, settled } from '../support/scene.ts'

const test = suite('language and time zone of a browser')

const register = (more: object) =>
  v.parse(Register, { type: 'register', role: 'extension', session_token: 'x', protocol: 2, ...more })
const LATE = Date.UTC(2026, 10, 22, 23, 30)
const message = (browserLocale: { locale: string | null; timeZone: string | null } | null) =>
  firstMessage({ task: 'Buy tea', url: null, context: null, createdAt: LATE, browserLocale })

test('[R51] what register says of them is taken, and what is not one is left out', () => {
  const { locale, time_zone } = register({ locale: 'de-DE', time_zone: 'Europe/Berlin' })
  assert.equal([locale, time_zone], ['de-DE', 'Europe/Berlin'])
  for (const wrong of [5, '', 'not a locale!', 'x'.repeat(200), null, '</page_content>']) {
    const parsed = register({ locale: wrong, time_zone: wrong })
    assert.equal([parsed.locale, parsed.time_zone], [null, null], String(wrong))
  }
  assert.equal([register({}).locale, register({}).time_zone], [null, null])
})

test('[L14 R51] the date is that of the user’s time zone', () => {
  assert.match(message(null), /^Buy tea\n.*\nToday is 2026-11-22\.$/s)
  assert.match(
    message({ locale: 'de-DE', timeZone: 'Europe/Berlin' }),
    /Today is 2026-11-23 in the user's time zone, Europe\/Berlin\. The browser's language is de-DE\.$/,
  )
})

test('[R51 D7] a task has those of its browser when it began, over a restart, too', async () => {
  const scene = await new Scene().open()
  const browser = scene.browser()
  const { taskService } = scene
  taskService.browserConnected(browser.record, {
    ...{ socketId: 'another', protocol: 2, calls: [], browserInstanceId: null, tools: [] },
    locale: { locale: 'ja-JP', timeZone: 'Asia/Tokyo' },
  })
  browser.socketId = 'another'
  const id = await scene.task(browser)
  const said = () => {
    const [first] = scene.model.last?.messages ?? []
    return first?.role === 'user' ? first.text : ''
  }
  assert.match(said(), /Asia\/Tokyo\. The browser's language is ja-JP\./)
  const [before, asked] = [said(), scene.model.asked]
  await scene.reopen()
  await settled()
  assert.is(scene.model.asked, asked + 1)
  assert.equal(scene.record(id).browserLocale, { locale: 'ja-JP', timeZone: 'Asia/Tokyo' })
  assert.is(said(), before)
})

test.run()
