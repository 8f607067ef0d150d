import { valueIn } from '../harness/inspect.ts'

/** What a line tells that helps nobody. */
type Kind = 'twin' | 'nameless container' | 'class name' | 'text nobody saw'

const LINE =
  /^(?<indent> *)[*+~-]? ?(?<role>[a-z][a-z ]*?)(?: (?<name>"(?:[^"\\]|\\.)*"))?(?: \[(?<ref>f?\d*e\d+)\])?(?<rest>(?: .*)?)$/
const CONTAINER =
  /^(group|list|listitem|row|cell|gridcell|region|tabpanel|main|navigation|form|article|banner|contentinfo|complementary|table|search|scroll area|tablist|toolbar|drop area)$/
/** The texts that are drawn in a page, without white space; of frames too, as far as they can be read. */
const DRAWN = `(() => {
  const of = (root) => {
    let all = ''
    const texts = root.createTreeWalker(root.documentElement, 5)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (node instanceof Element || node.nodeType === 1) {
        for (const part of ['::before', '::after']) {
          const { content } = getComputedStyle(node, part)
          if (content !== 'none' && content !== 'normal') all += content.replace(/^"|"$/g, '')
        }
        if (node.localName === 'iframe' && node.contentDocument) all += of(node.contentDocument)
        if (node.shadowRoot) all += node.shadowRoot.textContent
      } else {
        const box = node.parentElement
        if (box?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) all += node.data
      }
    }
    return all
  }
  return of(document).replace(/\\s+/g, '')
})()`

/** Counts the characters of answers, and those that are noise. */
export class Noise {
  #chars = 0
  readonly #counts = new Map<Kind, number>()
  readonly #examples = new Map<Kind, string[]>()
  readonly #port: number
  readonly #host: string

  /** @param url of the application whose pages are told */
  constructor(port: number, url: string) {
    this.#port = port
    this.#host = new URL(url).host
  }

  take = async (answer: string): Promise<void> => {
    this.#chars += answer.length
    const drawn = await valueIn(this.#port, this.#host, DRAWN)
    const around: { indent: number; name: string }[] = []
    for (const line of answer.split('\n')) {
      const { indent = '', role = '', name = '', ref, rest = '' } = LINE.exec(line)?.groups ?? {}
      if (role === '') continue
      while ((around.at(-1)?.indent ?? -1) >= indent.length) around.pop()
      const said = name === '' ? '' : String(JSON.parse(name)).trim()
      const [classes] = / class=(?:(?! (?:value|description|placeholder)=| ->).)*/.exec(rest) ?? []
      if (classes) this.#count('class name', classes.length, line)
      if (said !== '' && around.at(-1)?.name === said) this.#count('twin', line.length, line)
      else if (said === '' && rest.trim() === '' && ref === undefined && CONTAINER.test(role))
        this.#count('nameless container', line.length, line)
      else if (
        role === 'text' &&
        typeof drawn === 'string' &&
        !line.startsWith('-') &&
        !drawn.includes(said.replace(/\s+/g, ''))
      )
        this.#count('text nobody saw', line.length, line)
      around.push({ indent: indent.length, name: said })
    }
  }

  #count(kind: Kind, chars: number, line: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + chars)
    this.#examples.set(kind, [...(this.#examples.get(kind) ?? []), line.trim()].slice(-200))
  }

  /** The share of all characters, and of each kind. */
  summary(): string {
    const share = (chars: number) => `${((100 * chars) / Math.max(1, this.#chars)).toFixed(1)} %`
    const all = [...this.#counts.values()].reduce((sum, chars) => sum + chars, 0)
    const kinds = [...this.#counts].map(([kind, chars]) => `${kind} ${share(chars)}`)
    return kinds.length === 0 ? share(0) : `${share(all)} (${kinds.join(', ')})`
  }

  /** The last lines of each kind. */
  listing(): string {
    return [...this.#examples].map(([kind, lines]) => `${kind}:\n  ${lines.slice(-40).join('\n  ')}`).join('\n')
  }
}
