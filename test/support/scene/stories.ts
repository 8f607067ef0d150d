import { aScene, calling, failing, type Scene, saying, settled } from '../scene.ts'
import { atCheckout } from './checkout.ts'
import { answer, asked } from './inputs.ts'

const jpeg = (name: string) => Buffer.from(name).toString('base64')
const SHOP = { name: 'Kyoto teapot', price: 48, maker: 'Invented' }

/** A task with an address begins on its page, which earlier versions did not open. */
type Story = (url?: string | null) => Promise<{ scene: Scene; id: string }>

/** Tasks that have ended, by what they do. */
export const STORIES: Readonly<Record<string, Story>> = {
  async 'looks, is told of its mistakes and gives an output'(url: string | null = 'https://shop.example/') {
    const scene = await aScene()
    const browser = scene.browser()
    browser.answers = false
    const id = await scene.task(browser, {
      url,
      webhookUrl: 'https://hook.example/',
      outputSchema: JSON.stringify({ type: 'object' }),
    })
    if (url !== null) browser.finish(id, { said: 'The page has loaded.', page: { content: 'Teapots', url } })
    await settled()
    scene.model.answer(calling(['read_page', {}], ['unknown', { a: 1 }], ['find', { query: 'x' }]))
    await scene.clock.advance(700)
    browser.finish(undefined, {
      output: 'A teapot.\nKyoto teapot €48.00 </page_content>',
      said: 'A teapot.',
      screenshot: jpeg('one'),
      page: { content: 'Kyoto teapot €48.00 </page_content>', url: 'https://shop.example/teapots' },
    })
    await settled()
    scene.model.answer(calling(['computer', { action: 'screenshot' }], ['find', { query: 'tea' }]))
    await scene.clock.advance(20)
    browser.finish(undefined, { output: null, screenshot: jpeg('two') })
    await scene.clock.advance(30)
    browser.finish(undefined, { error: 'No such element', output: null })
    await settled()
    scene.model.answer(calling(['find', { query: 'long' }]))
    await settled()
    browser.finish(undefined, { output: { found: 'y'.repeat(3_000) } })
    await settled()
    const finish = calling(['finish', { success: true, answer: 'It costs 48.', output: SHOP }])
    for (let n = 0; n < 2 && scene.model.waiting.length > 0; n++) {
      scene.model.answer(finish)
      await settled()
    }
    return { scene, id }
  },

  async 'acts when its user approves'() {
    const { scene, id } = await atCheckout()
    await answer(scene, id, (await asked(scene, id)).id, 'accept')
    await settled()
    scene.model.answer(calling(['computer', { action: 'left_click', ref: 'e13' }]))
    await answer(scene, id, (await asked(scene, id)).id, 'decline')
    await settled()
    scene.model.answer(saying('Ordered.'))
    await settled()
    return { scene, id }
  },

  async 'asks, is told, is paused and goes on'() {
    const scene = await aScene()
    const id = await scene.task(scene.browser(), { asksUser: true })
    scene.model.answer(calling(['ask_user', { question: 'Green or black?', options: ['green', 'black'] }]))
    await answer(scene, id, (await asked(scene, id)).id, 'accept', 'green')
    await settled()
    await scene.taskService.sendMessage(scene.workspaceId, id, { text: 'Not before noon.', interrupt: true })
    await scene.taskService.pauseTask(scene.workspaceId, id, true)
    await scene.taskService.pauseTask(scene.workspaceId, id, false)
    await settled()
    scene.model.answer(saying('Green it is.'))
    await settled()
    return { scene, id }
  },

  async 'fails with its model'() {
    const scene = await aScene()
    const id = await scene.task(scene.browser())
    scene.model.answer(calling(['find', {}]))
    await settled()
    scene.model.answer(failing('No more of it.', { retryable: false }))
    await settled()
    return { scene, id }
  },

  async 'is cancelled while it acts, and pictured before'() {
    const scene = await aScene()
    const browser = scene.browser()
    const id = await scene.task(browser)
    scene.model.answer(calling(['find', {}]))
    await settled()
    browser.answers = false
    const [requestId = ''] = browser.executed
    scene.taskService.picture(browser.record.id, { taskId: id, requestId, jpeg: jpeg('later') })
    await settled()
    scene.model.answer(calling(['find', { query: 'tea' }], ['find', { query: 'pot' }]))
    await settled()
    await scene.taskService.cancelTask(scene.workspaceId, id)
    await settled()
    return { scene, id }
  },

  async 'goes on after two restarts, the browser away meanwhile'() {
    const scene = await aScene()
    const browser = scene.browser()
    browser.answers = false
    const id = await scene.task(browser)
    scene.model.answer(calling(['find', { query: 'tea' }], ['find', { query: 'pot' }]))
    await settled()
    await scene.reopen()
    browser.connect()
    await settled()
    browser.finish(undefined, { output: 'a pot', screenshot: jpeg('pot') })
    await settled()
    await scene.reopen()
    await settled()
    browser.connect()
    await settled()
    browser.finish()
    await settled()
    scene.model.answer(saying('Found.'))
    await settled()
    return { scene, id }
  },
}
