import { type ClickHow, type Hands, noLine, refIn, type Spent, type Target } from './hands.ts'
import type { Answer, Relay } from './relay.ts'
import type { Origins } from './site.ts'
import { excerpt, Unsolved } from './task.ts'

const LOOKS_MAX = 3
const CLICKS = ['left_click', 'double_click', 'triple_click'] as const

/** How long calls took, by tool and action, over a whole run. */
export type Timings = Map<string, number[]>

type Log = (line: string) => void
/** Looks at an answer while the page is as it was told. */
export type Heard = (answer: string) => Promise<void>

/** The browser tools of this project, as over the relay. */
export class Tools implements Hands {
  readonly origins: Origins
  readonly spent: Spent = { calls: 0, chars: 0, ms: 0 }
  readonly #relay: Relay
  readonly #taskId: string
  readonly #timings: Timings
  readonly #log: Log | null
  readonly #heard: Heard | null

  constructor(
    relay: Relay,
    taskId: string,
    origins: Origins,
    timings: Timings,
    log: Log | null,
    heard: Heard | null = null,
  ) {
    this.#relay = relay
    this.#taskId = taskId
    this.origins = origins
    this.#timings = timings
    this.#log = log
    this.#heard = heard
  }

  async attempt(tool: string, input: object = {}): Promise<Answer> {
    const answer = await this.#relay.call(this.#taskId, tool, input)
    this.spent.calls += 1
    this.spent.chars += answer.text.length
    this.spent.ms += answer.ms
    const action = 'action' in input && tool === 'computer' ? ` ${input.action}` : ''
    this.#timings.set(tool + action, [...(this.#timings.get(tool + action) ?? []), answer.ms])
    this.#log?.(
      `→ ${tool} ${JSON.stringify(input)}\n${answer.failed ? '✘' : '←'} ${Math.round(answer.ms)} ms ${answer.text}`,
    )
    await this.#heard?.(answer.text)
    return answer
  }

  async call(tool: string, input: object = {}): Promise<string> {
    const { text, failed } = await this.attempt(tool, input)
    if (failed) throw new Unsolved(`${tool} ${JSON.stringify(input)} failed: ${excerpt(text)}`)
    return text
  }

  open = (path = '/') => this.call('navigate', { url: path.startsWith('http') ? path : this.origins.own + path })
  look = () => this.call('read_page', {})
  text = () => this.call('get_page_text', {})
  wait = (seconds: number) => this.call('computer', { action: 'wait', duration: seconds })
  dialog = (accept: boolean, text?: string) => this.call('dialog', { accept, ...(text === undefined ? {} : { text }) })

  async ref(line: RegExp, tree?: string): Promise<string> {
    const known = tree === undefined ? null : refIn(tree, line)
    if (known !== null) return known
    let seen = ''
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      if (look > 0) await this.wait(0.5)
      seen = await this.look()
      const ref = refIn(seen, line)
      if (ref !== null) return ref
    }
    throw noLine(line, seen)
  }

  async click(target: Target, { button = 'left', count = 1, modifiers }: ClickHow = {}): Promise<string> {
    const action = button === 'right' ? 'right_click' : CLICKS[count - 1]
    return this.#act(action ?? 'left_click', target, modifiers === undefined ? {} : { modifiers })
  }
  hover = (target: Target) => this.#act('hover', target)
  type = (text: string, target?: Target) => this.#act('type', target, { text })
  press = (keys: string, target?: Target) => this.#act('key', target, { text: keys })

  async fill(target: Target, value: string | number | boolean): Promise<string> {
    return this.call('form_input', { ref: await this.#refOf(target), value })
  }

  /** To a ref where the tools take one; the first version takes pixels only, and nothing told it any. */
  async drag(from: Target, to: Target): Promise<string> {
    const [ref, to_ref] = [await this.#refOf(from), await this.#refOf(to)]
    return this.call('computer', { action: 'left_click_drag', ref, to_ref })
  }

  async #act(action: string, target: Target | undefined, more: object = {}): Promise<string> {
    const ref = target === undefined ? {} : { ref: await this.#refOf(target) }
    return this.call('computer', { action, ...ref, ...more })
  }

  #refOf = (target: Target): Promise<string> =>
    typeof target === 'string' ? Promise.resolve(target) : this.ref(target)
}
