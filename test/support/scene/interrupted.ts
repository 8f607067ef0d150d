import { STORE_RETRY_MS } from '../../../machines/limits.ts'
import { aScene, calling, type Scene, type SceneBrowser, SceneModel, saying, settled } from '../scene.ts'
import { atCheckout } from './checkout.ts'
import { full, queuedTask } from './queue.ts'
import { bought, buying, SceneShop } from './recipes.ts'

/** A task that waits for somebody, or is served by the service itself, when its process ends. */
export interface Interrupted {
  readonly scene: Scene
  readonly id: string
  readonly browser: SceneBrowser
  /** The model that reads beside the conversation. */
  readonly small?: SceneModel
  /** The answer that the model has given already: it is not asked for it again, unless the user says something. */
  readonly answered?: string
  /** How many calls its page must have carried out by its end, unless it is cancelled. */
  readonly calls: number
}

const finish = (answer: string) => ['finish', { success: true, answer }] as const

/** A task that has done one thing, and thinks about the next. */
async function aTaskOf(call: readonly [string, unknown]): Promise<Interrupted> {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  scene.model.answer(calling(call))
  await scene.reaches(id, 'thinking')
  return { scene, browser, id, calls: 1 }
}

/** Paused by `by` while its model thinks, which then answers. */
async function pausedAtItsAnswer(by: 'client' | 'browser', url: string | null = null): Promise<Interrupted> {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, { url })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await scene.reaches(id, 'thinking')
  await scene.taskService.pauseTask(scene.workspaceId, id, true, by)
  scene.model.answer(calling(finish('It costs 48.')))
  await scene.reaches(id, 'paused')
  return { scene, browser, id, answered: 'It costs 48.', calls: url === null ? 1 : 2 }
}

/** Paused by `by` while a call runs, which then fails: the one after it is not sent. */
async function pausedAtItsCall(by: 'client' | 'browser'): Promise<Interrupted> {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', { query: 'tea' }], ['find', { query: 'pot' }]))
  await scene.reaches(id, 'acting')
  await scene.taskService.pauseTask(scene.workspaceId, id, true, by)
  browser.finish(undefined, { error: 'No such element', output: null })
  browser.answers = true
  await scene.reaches(id, 'paused')
  return { scene, browser, id, calls: 1 }
}

async function asking(input: object): Promise<Interrupted> {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, { asksUser: true })
  scene.model.answer(calling(['find', { query: 'tea' }], ['ask_user', input], ['find', { query: 'pot' }]))
  await scene.reaches(id, 'waitingForInput')
  return { scene, browser, id, calls: 1 }
}

/** A call that the service carries out by a call of the browser, which has not answered. */
async function serving(call: (scene: Scene) => readonly [string, unknown]): Promise<Interrupted> {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  const small = new SceneModel()
  Object.assign(small, { id: 'small-model' })
  Object.assign(scene.model, { small })
  scene.model.answer(calling(call(scene)))
  await settled(80)
  browser.answers = true
  return { scene, browser, id, small, calls: 1 }
}

/** Ways into everything that a process can be ended in, but for what goes on by itself. */
export const INTERRUPTED: Readonly<Record<string, () => Promise<Interrupted>>> = {
  'paused at its answer': () => pausedAtItsAnswer('client'),
  'paused at its answer, with a page that it began on': () => pausedAtItsAnswer('client', 'https://shop.example/'),
  'paused at a failed call': () => pausedAtItsCall('client'),
  async 'paused by both'() {
    const own = await pausedAtItsAnswer('client')
    await own.scene.taskService.pauseTask(own.scene.workspaceId, own.id, true, 'browser')
    return own
  },
  asking: () => asking({ question: 'Green or black?' }),
  async approving() {
    const { scene, browser, id } = await atCheckout()
    await scene.reaches(id, 'waitingForInput')
    return { scene, browser, id, calls: 2 }
  },
  'taken over at its answer': () => pausedAtItsAnswer('browser'),
  'taken over at a failed call': () => pausedAtItsCall('browser'),
  'asked to be taken over': () => asking({ question: 'Please sign in.', takeover: true }),
  async queued() {
    const { scene, browser } = await full()
    return { scene, browser, id: await queuedTask(scene, browser), calls: 0 }
  },
  'extract, its page not read': () => serving(() => ['extract', { what: 'the price' }]),
  async 'extract, its model asked'() {
    const own = await serving(() => ['extract', { what: 'the price' }])
    own.browser.finish(undefined, { output: 'Tea 4.20', said: 'A page.', page: { content: 'Tea 4.20' } })
    await settled(80)
    return own
  },
  script: () =>
    serving(({ scripts }) =>
      scripts.call(function* () {
        return (yield ['find', { query: 'tea' }]).content
      }),
    ),
  async 'a file that is written'() {
    const own = await aTaskOf(['find', { query: 'tea' }])
    own.scene.store.fault = (name) => (name === 'files.put' ? 'hangs' : null)
    own.scene.model.answer(calling(['files', { action: 'write', name: 'a.txt', text: 'tea' }]))
    await own.scene.reaches(own.id, 'serving')
    return own
  },
  async 'waiting for its browser'() {
    const own = await aTaskOf(['find', { query: 'tea' }])
    own.browser.disconnect()
    own.scene.model.answer(calling(['find', { query: 'pot' }], ['find', { query: 'cup' }]))
    await own.scene.reaches(own.id, 'waitingForBrowser')
    return { ...own, calls: 1 }
  },
  async 'a recipe that is played'() {
    const scene = await aScene()
    const shop = new SceneShop(scene)
    await buying(scene, shop, 'green tea', { mode: 'auto', plays: null })
    await bought(scene, 'green tea')
    const [recipe] = scene.store.recipes.values()
    if (!recipe) throw new Error('No recipe was made')
    const { browser } = shop
    browser.answers = false
    const done = browser.executed.length
    const plays = { id: recipe.id, version: (recipe.trial ?? recipe.current).version }
    const id = await buying(scene, shop, 'black tea', { mode: 'auto', plays })
    await scene.reaches(id, 'acting')
    browser.answers = true
    return { scene, browser, id, calls: done + 1 }
  },
}

/** How its process ends. */
export const ENDINGS: Readonly<Record<string, (own: Interrupted) => Promise<void>>> = {
  async SIGTERM(own) {
    await own.scene.opened.handOver()
    killed(own)
  },
  async 'kill -9'(own) {
    killed(own)
  },
  /** Killed while it hands over: what it writes last is not kept. */
  async 'kill -9 in a hand-over'(own) {
    const { scene } = own
    scene.store.fault = (name) => (name === 'commit' ? 'hangs' : null)
    void scene.opened.handOver()
    await settled()
    killed(own)
  },
}

function killed({ scene, small }: Interrupted): void {
  scene.crash()
  scene.store.fault = () => null
  if (small) small.waiting = []
}

/** Everybody who can let it go on does, until it has ended. */
export async function goesOn({ scene, browser, id, small }: Interrupted): Promise<void> {
  for (let round = 0; round < 40 && scene.record(id).status === 'running'; round++) {
    if (browser.socketId === null) browser.connect()
    const running = browser.executed.at(-1)
    if (round > 0 && running && scene.taskService.pendingCalls(browser.record.id).includes(running))
      browser.finish(running)
    const { state, inputRequest } = await scene.view(id)
    if (state === 'paused') {
      await scene.taskService.pauseTask(scene.workspaceId, id, false, 'client')
      await scene.taskService.pauseTask(scene.workspaceId, id, false, 'browser')
    } else if (inputRequest) {
      const content = inputRequest.kind === 'question' ? 'green' : null
      await scene.taskService.answerInput(scene.workspaceId, id, inputRequest.id, { action: 'accept', content })
    }
    if (small?.waiting.length) small.answer(saying('Tea costs 4.20.'))
    for (const { answer } of scene.model.waiting.splice(0)) answer(calling(finish('Done.')))
    await scene.clock.advance(STORE_RETRY_MS)
  }
}
