import type { Call, Reply } from '../../test/support/model-endpoint-wires.ts'
import { refIn } from '../harness/hands.ts'
import { excerpt, Unsolved } from '../harness/task.ts'
import { textsOf, tokensOf, type WireRequest } from './endpoint.ts'

/** One thing to do: on the element whose line matches, or without one. */
export type Act =
  | readonly ['click', RegExp]
  | readonly ['fill', RegExp, string | number | boolean]
  | readonly ['type', RegExp, string]
  | readonly ['press', string]

const LOOKS_MAX = 4
/** Where an answer says that the document is another one. */
const MOVED = /(?:URL: |page is now[^(]*\(|^Page "[^"]*" \(|now at )(https?:\/\/[^\s)]+)/im

/**
 * A scripted model that behaves as a frugal one would: it knows what the answers since the last navigation told it, acts
 * on that, and asks to read the page only when it does not know what it needs. Each `act` is one reply with all its calls.
 */
export class SolverModel {
  modelCalls = 0
  inputTokens = 0
  toolCalls = 0
  looks = 0
  #told: string[] = []
  #url = ''
  #wake: ((request: WireRequest) => void) | null = null
  #answer: (reply: Reply) => void = () => {}
  #finished = false
  #finishes = false

  /** Takes a request of the service, and resolves with this model's reply to it. */
  next(request: WireRequest): Promise<Reply> {
    this.modelCalls += 1
    this.inputTokens += tokensOf(request)
    this.#finishes = request.tools?.some(({ name }) => name === 'finish') ?? false
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#wake?.(request)
    })
  }

  /** Runs a solver against the requests that come; its last words are the answer of the task. */
  async play(solve: (model: SolverModel) => Promise<string>): Promise<void> {
    this.#takeOpened(await this.#request())
    const answer = await solve(this).catch((error) => `I could not do it: ${error.message}`)
    for (let time = 0; !this.#finished; time += 1) {
      // A model that is asked to check its answer says it once more; a service that does not end by `finish` gets it as text.
      const ending = this.#finishes && time < 2 ? [finish(answer)] : []
      await this.#reply({ text: ending.length === 0 ? answer : '', calls: ending, stop: null })
    }
  }

  /** The task has ended: no request will come. */
  stop(): void {
    this.#finished = true
    this.#wake?.({ model: '', messages: [] })
  }

  /** Opens the address of the task, unless the service has done so before it asked. */
  async open(url: string): Promise<string> {
    return this.#told[0] ?? this.tools({ tool: 'navigate', input: { url } })
  }

  /** One reply with one call for each act. What is not known is looked up first, at once for all of them. */
  async act(...acts: readonly Act[]): Promise<string> {
    const targets = acts.flatMap((act) => (act[0] === 'press' ? [] : [act[1]]))
    for (let look = 0; targets.some((target) => this.#refOf(target) === null); look += 1) {
      if (look === LOOKS_MAX) throw this.#unknown(targets)
      if (look > 0) await this.#wait()
      await this.#look()
    }
    return this.tools(...acts.map((act) => this.#callOf(act)))
  }

  /** The first group of what it has been told; it looks when the last answers do not say so. */
  async learn(pattern: RegExp): Promise<string> {
    for (let look = 0; look <= LOOKS_MAX; look += 1) {
      const found = pattern.exec(this.#told.join('\n'))
      if (found) return found[1] ?? found[0]
      if (look > 0) await this.#wait()
      await this.#look()
    }
    throw new Unsolved(`nothing says ${pattern}: ${excerpt(this.#told.join('\n'))}`)
  }

  /** What is not there yet may be there after a moment. */
  #wait = () => this.tools({ tool: 'computer', input: { action: 'wait', duration: 1 } })

  #look(): Promise<string> {
    this.looks += 1
    return this.tools({ tool: 'read_page', input: {} })
  }

  #refOf(line: RegExp): string | null {
    for (const text of this.#told.toReversed()) {
      const ref = refIn(text, line)
      if (ref !== null) return ref
    }
    return null
  }

  #unknown = (targets: readonly RegExp[]) =>
    new Unsolved(
      `no reference for ${targets.find((target) => this.#refOf(target) === null)}: ${excerpt(this.#told.at(-1) ?? '')}`,
    )

  #callOf(act: Act): Call {
    if (act[0] === 'press') return { tool: 'computer', input: { action: 'key', text: act[1] } }
    const ref = this.#refOf(act[1]) ?? ''
    if (act[0] === 'click') return { tool: 'computer', input: { action: 'left_click', ref } }
    if (act[0] === 'fill') return { tool: 'form_input', input: { ref, value: act[2] } }
    return { tool: 'computer', input: { action: 'type', ref, text: act[2] } }
  }

  /** One reply with these calls; answers all that their results say. @throws Unsolved when one of them failed */
  async tools(...calls: readonly Call[]): Promise<string> {
    const { text, failed } = await this.attempt(...calls)
    if (failed) throw new Unsolved(excerpt(text))
    return text
  }

  /** The same, for calls that may fail. */
  async attempt(...calls: readonly Call[]): Promise<{ text: string; failed: boolean }> {
    const request = await this.#reply({ text: '', calls, stop: null })
    const last = request.messages.at(-1)
    const blocks = typeof last?.content === 'string' ? [] : (last?.content ?? [])
    const results = blocks.filter(({ type }) => type === 'tool_result')
    this.toolCalls += calls.length
    for (const result of results) this.#take(textsOf(result.content))
    const failed = results.some((result) => result.is_error || /^Error: /.test(textsOf(result.content)))
    return { text: results.map((result) => textsOf(result.content)).join('\n'), failed }
  }

  /** The page that the first request shows already. */
  #takeOpened({ messages }: WireRequest): void {
    const page = messages.map(({ content }) => textsOf(content)).find((text) => text.includes('<page_content>'))
    if (page) this.#take(page)
  }

  /** What was told of another document is not true of this one. */
  #take(text: string): void {
    const url = MOVED.exec(text)?.[1] ?? this.#url
    if (url !== this.#url) this.#told = []
    this.#url = url
    this.#told.push(text)
  }

  #reply(reply: Reply): Promise<WireRequest> {
    this.#answer(reply)
    return this.#request()
  }

  #request(): Promise<WireRequest> {
    return new Promise((resolve) => {
      if (this.#finished) resolve({ model: '', messages: [] })
      else this.#wake = resolve
    })
  }
}

const finish = (answer: string): Call => ({ tool: 'finish', input: { success: true, answer } })
