import { FIND_RESULTS_MAX } from '../../../../machines/limits.ts'
import type { FindInput } from '../../../wire/tools.ts'
import { type Call, location } from '../page.ts'
import { clip, everyItem, type Item, textOf } from '../tree/item.ts'
import { line } from '../tree/lines.ts'
import { readItems } from '../tree/read.ts'
import { originOf } from './read-page.ts'

/** Words that a query uses for a role. */
const ROLE_WORDS: Readonly<Record<string, readonly string[]>> = {
  box: ['textbox', 'searchbox', 'combobox', 'checkbox'],
  calendar: ['date field'],
  dropdown: ['combobox', 'listbox'],
  field: ['textbox', 'searchbox', 'spinbutton', 'combobox', 'date field', 'time field'],
  heading: ['heading'],
  input: ['textbox', 'searchbox', 'spinbutton', 'combobox', 'date field', 'time field'],
  menu: ['combobox', 'menuitem', 'button'],
  picture: ['image'],
  search: ['searchbox'],
  select: ['combobox', 'listbox'],
  title: ['heading'],
  toggle: ['switch', 'checkbox', 'button'],
}
const STOP_WORDS = new Set(['a', 'an', 'the', 'of', 'for', 'in', 'on', 'to', 'and', 'or', 'with', 'that', 'all', 'any'])
/** What is worth less than this share of the best match is left out. */
const WORTH_SHOWING = 0.5

/** Up to FIND_RESULTS_MAX elements that match the words, best first, each with a reference. */
export async function find(call: Call, { query }: FindInput): Promise<string> {
  const items = await readItems(call)
  const { url } = await location(call)
  const phrase = words(query).join(' ')
  const wanted = words(query).filter((word) => !STOP_WORDS.has(word))
  const terms = wanted.length > 0 ? wanted : words(query)
  const matches = [...candidates(items)]
    .map((item) => ({ item, worth: worth(item, terms, phrase) }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
  const best = matches[0]?.worth ?? 0
  const shown = matches.filter(({ worth }) => worth >= best * WORTH_SHOWING).slice(0, FIND_RESULTS_MAX)
  if (shown.length === 0) return `Nothing on the page matches ${JSON.stringify(clip(query, 200))}.`
  const { refs } = call.page
  const text = shown.map(({ item }) => {
    const inside = item.name ? '' : clip(textOf(item.children), 200)
    return line(item, refs, originOf(url), true) + (inside ? ` containing ${JSON.stringify(inside)}` : '')
  })
  const count = shown.length === 1 ? '1 match' : `${shown.length} matches`
  return `${count}:\n${text.join('\n')}`
}

/** Elements only. Text that stands in a container speaks for the container. */
function* candidates(items: readonly Item[]): Generator<Item> {
  for (const item of everyItem(items)) if (item.backendNodeId !== null) yield item
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function worth(item: Item, terms: readonly string[], phrase: string): number {
  const own = item.children.filter((child) => child.role === 'text').map((child) => child.name)
  const said = words([item.name, ...own].join(' '))
  const more = words([item.value, item.description, item.placeholder, item.url, item.options.join(' ')].join(' '))
  const role = new Set([...words(item.role), item.role])
  let sum = 0
  let byText = 0
  let matched = 0
  for (const term of terms) {
    const text = closeness(term, said) * 3 || closeness(term, more)
    const asRole = role.has(term) || (ROLE_WORDS[term] ?? []).some((name) => role.has(name)) ? 2 : 0
    sum += Math.max(text, 0) + asRole
    if (text > 0) byText += 1
    if (text > 0 || asRole > 0) matched += 1
  }
  if (matched < terms.length / 2) return 0
  // "add to cart button" is no request for every button of the page.
  const hasText = terms.some((term) => !(term in ROLE_WORDS) && !ROLES.has(term))
  if (hasText && byText === 0) return 0
  if (said.join(' ').includes(phrase)) sum += 3
  if (said.join(' ') === phrase) sum += 2
  if (item.actionable) sum += 1
  // Of two that match alike, the one that says less besides is meant.
  return (sum * matched) / terms.length - Math.min(said.length, 100) / 100
}

const ROLES = new Set([
  'button',
  'link',
  'textbox',
  'checkbox',
  'radio',
  'image',
  'tab',
  'option',
  'list',
  'table',
  'row',
])

function closeness(term: string, said: readonly string[]): number {
  if (said.includes(term)) return 1
  if (term.length >= 3 && said.some((word) => word.startsWith(term))) return 0.7
  const stem = term.replace(/(ing|es|ed|s)$/, '')
  if (stem.length >= 3 && said.some((word) => word.startsWith(stem))) return 0.6
  return 0
}
