import * as assert from 'uvu/assert'
import { servePages } from '../support/pages.ts'
import { headedSuite } from './browser.ts'
import { openHeadedTask } from './task.ts'

const test = headedSuite(
  'seeing a tab in the background',
  async () => {
    const [task, pages] = await Promise.all([openHeadedTask(), servePages()])
    return { task, pages }
  },
  ({ task, pages }) => Promise.all([task.close(), pages.close()]),
)

test('[G31] it is captured, and regions of it enlarged, although the browser draws nothing that is not in front', async ({
  task,
  pages,
}) => {
  const { error } = await task.call('navigate', { url: `${pages.origin}/first` })
  assert.is(error, null)
  const front = await task.browser.front()
  assert.not.match(front.url, /first/)
  // Each again: what one capture leaves behind must not keep the next one.
  for (let taken = 0; taken < 5; taken++) {
    const shot = await task.call('computer', { action: 'screenshot' })
    assert.is(shot.error, null)
  }
  const zoomed = await task.call('computer', { action: 'zoom', region: [0, 0, 300, 200] })
  assert.is(zoomed.error, null)
  assert.is((await task.browser.front()).targetId, front.targetId)
})

test.run()
