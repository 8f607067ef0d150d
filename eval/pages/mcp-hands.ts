import { type ClickHow, type Hands, NotExpressible, noLine, refIn, type Spent, type Target } from '../harness/hands.ts'
import type { Origins } from '../harness/site.ts'
import { excerpt, Unsolved } from '../harness/task.ts'
import type { Mcp } from './mcp.ts'

const LOOKS_MAX = 3
/** What its form tool calls each kind of field. */
const FIELD_TYPES: Readonly<Record<string, string>> = {
  checkbox: 'checkbox',
  switch: 'checkbox',
  radio: 'radio',
  combobox: 'combobox',
  listbox: 'combobox',
  slider: 'slider',
}

/** The tools of Playwright MCP, for the solvers that know nothing of ours. */
export class McpHands implements Hands {
  readonly origins: Origins
  readonly spent: Spent = { calls: 0, chars: 0, ms: 0 }
  /** Characters of the first snapshot. */
  firstLook = 0
  readonly #mcp: Mcp

  constructor(mcp: Mcp, origins: Origins) {
    this.#mcp = mcp
    this.origins = origins
  }

  async #ask(tool: string, input: object): Promise<string> {
    const { text, ms } = await this.#mcp.call(tool, input)
    this.spent.calls += 1
    this.spent.chars += text.length
    this.spent.ms += ms
    if (/^### Error/m.test(text)) throw new Unsolved(`${tool}: ${excerpt(text)}`)
    return text
  }

  open = (path = '/') =>
    this.#ask('browser_navigate', { url: path.startsWith('http') ? path : this.origins.own + path })
  async look(): Promise<string> {
    const text = await this.#ask('browser_snapshot', {})
    this.firstLook ||= text.length
    return text
  }
  text = () => this.look()
  wait = (seconds: number) => this.#ask('browser_wait_for', { time: seconds })
  dialog = (accept: boolean, text?: string) =>
    this.#ask('browser_handle_dialog', { accept, ...(text === undefined ? {} : { promptText: text }) })

  async ref(line: RegExp, tree?: string): Promise<string> {
    return (await this.#lineOf(line, tree)).ref
  }

  async #lineOf(line: RegExp, tree?: string): Promise<{ ref: string; text: string }> {
    const inLine = (text: string) => {
      const found = text.split('\n').find((each) => line.test(each) && refIn(each, line) !== null)
      return found === undefined ? null : { ref: refIn(found, line) ?? '', text: found }
    }
    const known = tree === undefined ? null : inLine(tree)
    if (known) return known
    let seen = ''
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      if (look > 0) await this.wait(0.5)
      seen = await this.look()
      const found = inLine(seen)
      if (found) return found
    }
    throw noLine(line, seen)
  }

  async click(target: Target, { button = 'left', count = 1, modifiers }: ClickHow = {}): Promise<string> {
    if (count === 3) throw new NotExpressible('a triple click')
    const held = modifiers === 'ctrl' ? { modifiers: ['Control'] } : {}
    const how = { button, ...(count === 2 ? { doubleClick: true } : {}), ...held }
    return this.#ask('browser_click', { ...(await this.#at(target)), ...how })
  }
  hover = async (target: Target) => this.#ask('browser_hover', await this.#at(target))

  async fill(target: Target, value: string | number | boolean): Promise<string> {
    const { ref, text } = typeof target === 'string' ? { ref: target, text: '' } : await this.#lineOf(target)
    const role = /^\s*- (\w+)/.exec(text)?.[1] ?? ''
    const field = { name: 'field', element: 'field', ref, target: ref, type: FIELD_TYPES[role] ?? 'textbox' }
    return this.#ask('browser_fill_form', { fields: [{ ...field, value: String(value) }] })
  }

  async type(text: string, target?: Target): Promise<string> {
    if (target !== undefined) return this.#ask('browser_type', { ...(await this.#at(target)), text, slowly: true })
    let told = ''
    for (const key of text) told = await this.#ask('browser_press_key', { key })
    return told
  }

  async press(keys: string, target?: Target): Promise<string> {
    if (target !== undefined) await this.click(target)
    let told = ''
    for (const key of keys.split(' '))
      told = await this.#ask('browser_press_key', { key: key.replace(/^ctrl/, 'Control') })
    return told
  }

  async drag(from: Target, to: Target): Promise<string> {
    const [start, end] = [await this.#at(from), await this.#at(to)]
    const names = { startElement: 'start', endElement: 'end', startRef: start.ref, endRef: end.ref }
    return this.#ask('browser_drag', { ...names, startTarget: start.ref, endTarget: end.ref })
  }

  call(tool: string): Promise<never> {
    return Promise.reject(new NotExpressible(tool))
  }
  attempt(tool: string): Promise<never> {
    return Promise.reject(new NotExpressible(tool))
  }

  async #at(target: Target) {
    const ref = typeof target === 'string' ? target : await this.ref(target)
    return { element: 'element', ref, target: ref }
  }
}
