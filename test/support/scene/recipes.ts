import type { OutgoingFrame } from '../../../actors/runtime/ports.ts'
import type { ToolResultIn } from '../../../actors/task-service.ts'
import { type ActReport, type RecipeUse, type Target, TELLS_TARGETS } from '../../../machines/recipe.ts'
import { calling, type Scene, type SceneBrowser, settled } from '../scene.ts'

/** A shop in a scene's browser: its pages are what its calls made of them. */
export class SceneShop {
  /** What was bought, and with what in the search. */
  readonly bought: string[] = []
  /** A banner covers the page. */
  hasBanner = true
  /** What it says before the number of what was bought. */
  words = 'Number:'
  /** What the button is called. */
  buy = 'Buy'
  /** What it answers in the place of the page, once. */
  #searched = ''
  #page = 'blank'

  readonly browser: SceneBrowser

  constructor(scene: Scene) {
    this.browser = scene.browser(2, {}, false)
    this.browser.tools = [TELLS_TARGETS, 'tabs', 'dialog', 'files']
    this.browser.result = (frame) => this.#result(frame)
    this.browser.connect()
  }

  #result({ tool, input, guard }: OutgoingFrame): Partial<ToolResultIn> {
    const { target, ref, value, url } = input as { target?: Target; ref?: string; value?: string; url?: string }
    const named = target?.name ?? REFS[ref ?? '']?.name
    if (tool === 'navigate') {
      this.#page = 'home'
      this.#searched = ''
      return this.#shown({}, String(url))
    }
    if (tool === 'get_page_text')
      return { said: '', page: { content: `${this.words} ${this.bought.length}` }, output: '' }
    if (named === 'Close' && this.hasBanner) {
      this.#page = 'open'
      return this.#shown({ target: BANNER })
    }
    if (named === 'Search') {
      this.#searched = String(value)
      return this.#shown({ target: SEARCH })
    }
    if (named === this.buy) {
      this.bought.push(this.#searched)
      this.#page = 'thanks'
      return this.#shown({ target: { ...BUY, name: this.buy } })
    }
    const refused = `nothing like it: button "${this.buy}"`
    return {
      error: 'No element of the page is clearly the target, so nothing was done.',
      ...(guard ? { page: { act: { refused } } } : {}),
    }
  }

  #shown(act: ActReport, url = 'http://shop/'): Partial<ToolResultIn> {
    const content = this.#page === 'thanks' ? '+ heading "Thank you" [e9]' : `+ button "${this.buy}" [e3]`
    const fingerprint = `${this.#page} ${this.#searched}`
    return { said: 'Done.', output: '', page: { content, fingerprint, url, act } }
  }
}

export const SEARCH: Target = { role: 'searchbox', name: 'Search', alike: 1 }
export const BUY: Target = { role: 'button', name: 'Buy', alike: 1 }
const BANNER: Target = { role: 'button', name: 'Close', alike: 1, overlay: true }
const REFS: Readonly<Record<string, Target>> = { e1: SEARCH, e2: BANNER, e3: BUY }

/** Starts a task that buys something, and uses a recipe so. */
export const buying = (
  scene: Scene,
  { browser }: SceneShop,
  goods: string,
  use: Omit<RecipeUse, 'templateHash'>,
  more: Parameters<Scene['task']>[1] = {},
) =>
  scene.task(browser, {
    ...more,
    task: `Buy ${goods}`,
    template: { task: 'Buy {{goods}}', url: null, context: null },
    inputs: { goods },
    recipe: { templateHash: 'of-buying', ...use },
  })

/** What the model does without a recipe. */
export async function bought(scene: Scene, goods: string, output?: object): Promise<void> {
  const replies = [
    calling(['navigate', { url: 'http://shop/' }]),
    calling(['computer', { action: 'left_click', ref: 'e2' }], ['find', { query: 'search' }]),
    calling(['form_input', { ref: 'e1', value: goods }], ['computer', { action: 'left_click', ref: 'e3' }]),
    ...(output ? [calling(['get_page_text', {}])] : []),
    calling(['finish', { success: true, answer: `${goods} was bought.`, ...(output ? { output } : {}) }]),
  ]
  for (const reply of replies) {
    scene.model.answer(reply)
    await settled()
  }
}
