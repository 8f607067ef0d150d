import type { Message, MessageResult } from '../../../actors/runtime/ports.ts'

/** A reference that the conversation does not answer. `message` says what was looked for. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved'
}

/** `{{ref:…}}`, `{{match:/…/}}`, `{{task:/…/}}`; a brace more belongs to the regular expression. */
const REFERENCE = /\{\{(\w+):(.*?)\}\}(?!\})/gs
const PATTERN = /^\/(.+)\/([imsu]*)$/s
/** `button "Add to cart"`, and optionally where to begin: `button "Add to cart" after "Blue mug"`. */
const ELEMENT = /^(?:([\w-]+)\s+)?"([^"]+)"(?:\s+after\s+"([^"]+)")?$/

/** The tools whose results name elements with their refs. */
const PAGE_TOOLS = new Set(['read_page', 'find'])

/** What is wrong with the references in a text, or `null`. */
export function checkTemplate(text: string): string | null {
  for (const [whole, kind, argument = ''] of text.matchAll(REFERENCE)) {
    if (kind === 'ref') {
      if (!ELEMENT.test(argument)) return `${whole} does not name an element such as {{ref:button "Buy"}}`
    } else if (kind === 'match' || kind === 'task') {
      const [, source, flags] = PATTERN.exec(argument) ?? []
      if (source === undefined) return `${whole} holds no regular expression such as {{${kind}:/Total: (\\S+)/}}`
      try {
        new RegExp(source, flags)
      } catch (error) {
        return `${whole}: ${error instanceof Error ? error.message : 'no regular expression'}`
      }
    } else return `${whole} is of an unknown kind: expected ref, match or task`
  }
  return null
}

/**
 * Resolves every reference in a text from the conversation so far:
 * - `{{ref:button "Buy"}}`: the ref of that element in the latest result of `read_page` or `find`, else on the page that the task began at;
 * - `{{match:/Total: (\S+)/}}`: the first group of the expression in the results of the latest step;
 * - `{{task:/…/}}`: the same in the task's own text.
 * @throws Unresolved when there is no such thing: an older result is not asked, since it may no longer be true.
 */
export function resolve(text: string, messages: readonly Message[]): string {
  return text.replace(REFERENCE, (_, kind: string, argument: string) => {
    if (kind === 'ref') return refOf(argument, latestPage(messages))
    if (kind === 'match') return matchOf(argument, latestResults(messages), 'in the last results')
    return matchOf(argument, [taskOf(messages)], 'in the task')
  })
}

/** A copy of a call's input with the references in all its strings resolved. */
export function resolveAll(value: unknown, messages: readonly Message[]): unknown {
  if (typeof value === 'string') return resolve(value, messages)
  if (Array.isArray(value)) return value.map((item) => resolveAll(item, messages))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveAll(item, messages)]))
}

/** The task as it was given: the first message of a conversation. */
export function taskOf(messages: readonly Message[]): string {
  const [first] = messages
  return first?.role === 'user' ? first.text : ''
}

function resultsIn(message: Message): readonly MessageResult[] {
  if (message.role === 'tool') return message.results
  return message.role === 'user' && message.opened ? [message.opened] : []
}

function latestResults(messages: readonly Message[]): string[] {
  const last = messages.findLast((message) => resultsIn(message).length > 0)
  return last
    ? resultsIn(last)
        .map((result) => result.text)
        .reverse()
    : []
}

function latestPage(messages: readonly Message[]): string {
  const results = messages.flatMap(resultsIn)
  const opened = messages.find((message) => message.role === 'user' && message.opened)
  const page = results.findLast(({ tool }) => PAGE_TOOLS.has(tool)) ?? (opened && resultsIn(opened)[0])
  if (!page) throw new Unresolved('the page was not read before a ref was needed')
  return page.text
}

function matchOf(argument: string, texts: readonly string[], where: string): string {
  const [, source = '', flags] = PATTERN.exec(argument) ?? []
  const pattern = new RegExp(source, flags)
  for (const text of texts) {
    const match = pattern.exec(text)
    if (match) return match[1] ?? match[0]
  }
  throw new Unresolved(`nothing matches ${argument} ${where}`)
}

function refOf(argument: string, page: string): string {
  const [, role, name = '', after] = ELEMENT.exec(argument) ?? []
  const lines = page.split('\n')
  const start = after === undefined ? 0 : lines.findIndex((line) => line.includes(after)) + 1
  if (after !== undefined && start === 0) throw new Unresolved(`the page has no line with "${after}"`)
  const candidates = lines
    .slice(start)
    .filter((line) => !role || new RegExp(`(?<![\\w-])${role}(?![\\w-])`, 'i').test(line))
  // The whole name first: "Buy" is not "Buy a gift card".
  const line =
    candidates.find((line) => line.includes(`"${name}"`) && refIn(line)) ??
    candidates.find((line) => line.includes(name) && refIn(line))
  const ref = line === undefined ? null : refIn(line)
  if (ref === null) throw new Unresolved(`the page has no element ${argument}`)
  return ref
}

/** The ref that a line of the tree carries: `[ref=e12]`, `ref="e12"`, `[e12]`, `[f2e12]`, or `e12:` before the rest. Names in quotes do not count. */
function refIn(line: string): string | null {
  const attribute = /\bref(?:=|:\s*)"?([\w-]+)/.exec(line)?.[1]
  if (attribute !== undefined) return attribute
  const unquoted = line.replace(/"[^"]*"/g, '""')
  return /(?<![\w-])((?:f\d+)?(?:ref[_-]?|[a-z])\d+)(?![\w-])/.exec(unquoted)?.[1] ?? null
}
