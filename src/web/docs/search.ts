import type { Request, Response } from '../../net/transport.ts'
import { type Html, html } from '../html.ts'
import { headingIds } from '../markdown.ts'
import { docsPage } from './frame.ts'

/** A part of a document, under one heading. */
export interface Section {
  readonly address: string
  readonly title: string
  /** Its prose, of which results show a piece. A title is that of a page, or of a page and a part: `Webhooks: Create an endpoint`. */
  readonly text: string
  /** What is found in it and not shown. */
  readonly code?: string
  /** Of an operation of the API. */
  readonly route?: { readonly method: string; readonly path: string }
}

const QUERY_CHARS_MAX = 200
const FOUND_MAX = 30
const SHOWN_CHARS = 180
/** Of these, before the first word that was asked for: it is in sight on a phone, too. */
const BEFORE_CHARS = 16

/** What begins an item of a list. */
const LAYOUT = /^\s*[-*>] /
/** A line of a table: its cells are found, and are no prose. */
const OF_TABLE = /^\s*\|/

/** The parts of a document, each with the address of its heading. */
export function sectionsOf(path: string, title: string, source: string): Section[] {
  const idOf = headingIds()
  const begin = (address: string, title: string) => ({ address, title, text: [] as string[], code: [] as string[] })
  const sections = [begin(path, title)]
  let isCode = false
  for (const line of source.split('\n')) {
    if (/^\s*```/.test(line)) {
      isCode = !isCode
      continue
    }
    const heading = isCode ? undefined : /^#{1,6} (.*)$/.exec(line)?.[1]
    if (heading !== undefined) sections.push(begin(`${path}#${idOf(heading)}`, `${title}: ${plain(heading)}`))
    else if (isCode) sections.at(-1)?.code.push(line)
    else if (OF_TABLE.test(line)) sections.at(-1)?.code.push(plain(line))
    else sections.at(-1)?.text.push(line.replace(LAYOUT, ''))
  }
  return sections.map(({ text, code, ...section }) => ({
    ...section,
    text: plain(text.join(' ')),
    code: code.join(' '),
  }))
}

const KINDS = [
  ['', 'All'],
  ['guides', 'Guides'],
  ['api', 'API'],
] as const
type Kind = (typeof KINDS)[number][0]

const isOf = (kind: Kind, { route }: Section): boolean => kind === '' || (kind === 'api') === (route !== undefined)

/** [P16] What the docs say of some words: the parts that have all of them, those with a fitting heading first; of one kind alone if asked for. */
export function searchPage({ query }: Pick<Request, 'query'>, sections: readonly Section[]): Response {
  const params = new URLSearchParams(query)
  const asked = (params.get('q') ?? '').trim().slice(0, QUERY_CHARS_MAX)
  const [kind] = KINDS.find(([name]) => name === params.get('in')) ?? KINDS[0]
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  const found = words.length === 0 ? [] : ranked(sections, words)
  const kinds = KINDS.map(([name, label]) => {
    const current = name === kind ? html` aria-current="page"` : null
    const number = found.filter((section) => isOf(name, section)).length
    return html`<a href="/docs/search?q=${encodeURIComponent(asked)}${name === '' ? '' : `&in=${name}`}"${current}>${label} <span class="quiet">${number}</span></a>`
  })
  const shown = found.filter((section) => isOf(kind, section)).slice(0, FOUND_MAX)
  return docsPage(
    asked === '' ? 'Search' : `${found.length} ${found.length === 1 ? 'result' : 'results'} for “${asked}”`,
    '/docs/search',
    found.length === 0
      ? html`<p class="empty">${asked === '' ? 'Type what you look for.' : `Nothing in the docs has all of: ${asked}`}</p>`
      : html`<nav class="tabs kinds-found" aria-label="Kinds of results">${kinds}</nav>
<ul class="found">${shown.map((section) => resultOf(section, asked, words))}</ul>`,
    { asked },
  )
}

/** A result: its heading, where it is, and one line of what it says. */
function resultOf({ address, title, text, route }: Section, asked: string, words: readonly string[]): Html {
  const [page = '', ...part] = title.split(': ')
  const place =
    route === undefined
      ? html`Guides${part.length === 0 ? null : html` › ${page}`}`
      : html`<span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>${marked(route.path, words)}</code>`
  return html`<li><a href="${withWords(address, asked)}">${marked(part.join(': ') || page, words)}</a>
<p class="quiet place-of">${place}</p>${text === '' ? null : html`<p class="quiet">${marked(around(text, words), words)}</p>`}</li>`
}

/** The address of a part, whose page marks what was looked for. */
function withWords(address: string, asked: string): string {
  const [path = '', part] = address.split('#')
  return `${path}?find=${encodeURIComponent(asked)}${part === undefined ? '' : `#${part}`}`
}

function ranked(sections: readonly Section[], words: readonly string[]): Section[] {
  const score = ({ title, text, code = '', route }: Section): number => {
    const called = route === undefined ? '' : `, ${route.method} ${route.path}`
    const [head, body] = [`${title}${called}`.toLowerCase(), `${text} ${code}`.toLowerCase()]
    if (!words.every((word) => head.includes(word) || body.includes(word))) return 0
    const inTitle = words.filter((word) => head.includes(word)).length
    // Words that stand together first of all.
    const together = words.join(' ')
    const isTogether = words.length > 1 && (head.includes(together) || body.includes(together))
    return 1 + inTitle + words.filter((word) => head.startsWith(word)).length + (isTogether ? words.length : 0)
  }
  return sections
    .map((section) => ({ section, points: score(section) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .map(({ section }) => section)
}

/** The text around the first of the words; no word is cut in two, unless it alone is longer than what is shown. */
function around(text: string, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((index) => index >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const early = Math.max(0, first - BEFORE_CHARS)
  const space = text.indexOf(' ', early)
  const from = early > 0 && space >= 0 && space < first ? space + 1 : early
  const late = from + SHOWN_CHARS
  const lastSpace = text.lastIndexOf(' ', late)
  const to = text.length <= late ? text.length : lastSpace > first ? lastSpace : late
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
}

/** With the words marked that were asked for, or that have one of these in them. */
function marked(text: string, words: readonly string[]): Html {
  const any = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const parts = text.split(new RegExp(`([\\p{L}\\p{N}_]*(?:${any})[\\p{L}\\p{N}_]*)`, 'giu'))
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))}`
}

/** Without the signs of markdown. */
const plain = (text: string): string =>
  text
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[`*[\]|]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
