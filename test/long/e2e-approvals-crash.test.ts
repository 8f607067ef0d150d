import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { approvalsSuite, DECLINED, TASK_MS_MAX } from '../e2e/approvals-suite.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'

const { test, opened, start, answer, asked, ask } = approvalsSuite('approvals over kill -9')

async function killed() {
  await opened.service.kill()
  opened.service.spawn()
  await opened.service.answers()
}

test('[I7 D7 D8] kill -9 while a task waits for an approval: it waits on, and what was approved is let go once', async () => {
  opened.site.orders.splice(0)
  const id = await start('Order in our own shop')
  const request = await ask(id)
  await killed()
  const again = await asked(id)
  assert.equal(again, request)
  assert.is((await answer(id, request, 'accept')).status, 200)
  assert.is((await answer(id, request, 'accept')).status, 409)
  assert.is((await finished(opened.service.api, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(opened.site.orders, [52.5])
})

test('[I7 D7 D8] kill -9 just after the approval, and while what was let go is on its way: once', async () => {
  for (const isOnItsWay of [false, true]) {
    opened.site.orders.splice(0)
    const id = await start('Order in our own shop')
    const request = await ask(id)
    assert.is((await answer(id, request, 'accept')).status, 200)
    if (isOnItsWay) await eventually(() => opened.site.orders.length > 0, 'the order', TASK_MS_MAX)
    await killed()
    assert.is((await finished(opened.service.api, id, TASK_MS_MAX)).status, 'complete')
    assert.equal(opened.site.orders, [52.5])
  }
})

test('[I5 D7] kill -9 after a refusal: it is never let go', async () => {
  opened.site.orders.splice(0)
  const id = await start('Order in our own shop')
  const request = await ask(id)
  assert.is((await answer(id, request, 'decline')).status, 200)
  await killed()
  assert.is((await finished(opened.service.api, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(opened.site.orders, [])
  assert.match(String((await opened.service.api.get(`/v1/tasks/${id}`)).raw), DECLINED)
})

for (const isLetGo of [false, true])
  test(`[I7 D7] kill -9, and the browser is lost ${isLetGo ? 'with what was let go: the outcome is unknown' : 'before the answer: nothing was sent, and the model reads so'}`, async () => {
    const { site, service, browser } = opened
    site.orders.splice(0)
    const id = await start('Order in our own shop')
    const request = await ask(id)
    if (isLetGo) {
      assert.is((await answer(id, request, 'accept')).status, 200)
      await eventually(() => site.orders.length > 0, 'the order', TASK_MS_MAX)
    }
    await service.kill()
    await browser.close()
    service.spawn()
    await service.answers()
    const { url: serviceUrl, relayPort } = service
    opened.browser = await runBrowser({ serviceUrl, relayPort, sessionToken: browser.sessionToken, log: () => {} })
    if (!isLetGo) assert.is((await answer(id, request, 'accept')).status, 200)
    assert.is((await finished(service.api, id, TASK_MS_MAX)).status, 'complete')
    assert.equal(site.orders, isLetGo ? [52.5] : [])
    const { raw } = await service.api.get(`/v1/tasks/${id}`)
    assert.match(String(raw), isLetGo ? /outcome of this call is unknown/ : /not held any more, so nothing was sent/)
  })

await test.run()
