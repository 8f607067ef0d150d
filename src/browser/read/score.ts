import type { Item } from './item.ts'

/** How well an item fits the words of a query. */

/** Words that a query uses for a role. */
const ROLE_WORDS: Readonly<Record<string, readonly string[]>> = {
  box: ['textbox', 'searchbox', 'combobox', 'checkbox'],
  calendar: ['date field'],
  dropdown: ['combobox', 'listbox'],
  field: ['textbox', 'searchbox', 'spinbutton', 'combobox', 'date field', 'time field'],
  heading: ['heading'],
  icon: ['image', 'button', 'clickable'],
  input: ['textbox', 'searchbox', 'spinbutton', 'combobox', 'date field', 'time field'],
  menu: ['combobox', 'menuitem', 'button', 'hoverable'],
  picture: ['image'],
  search: ['searchbox'],
  select: ['combobox', 'listbox'],
  title: ['heading'],
  toggle: ['switch', 'checkbox', 'button'],
  upload: ['file field'],
}
const ROLES = new Set('button link textbox checkbox radio image tab option list table row'.split(' '))
const STOP_WORDS = new Set('a an the of for in on to and or with that all any'.split(' '))

export interface Query {
  readonly phrase: string
  readonly terms: readonly string[]
}

export function queryOf(text: string): Query {
  const all = wordsOf(text)
  const wanted = all.filter((word) => !STOP_WORDS.has(word))
  return { phrase: all.join(' '), terms: wanted.length > 0 ? wanted : all }
}

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** 0 when it does not fit at all. */
export function scoreOf(item: Item, { terms, phrase }: Query): number {
  const own = item.children.filter((child) => child.role === 'text').map((child) => child.name)
  const said = wordsOf([item.name, ...own].join(' '))
  const choices = item.choices.map(({ label }) => label).join(' ')
  const hints = wordsOf(item.states.filter((state) => /^(class|icon|id)=/.test(state)).join(' '))
  const more = wordsOf([item.value, item.description, item.placeholder, item.url, choices].join(' '))
  const role = new Set([...wordsOf(item.role), item.role])
  let sum = 0
  let byText = 0
  let matched = 0
  for (const term of terms) {
    const text = closeness(term, said) * 3 || closeness(term, more) || closeness(term, hints) / 2
    const asRole = role.has(term) || (ROLE_WORDS[term] ?? []).some((name) => role.has(name)) ? 2 : 0
    sum += text + asRole
    if (text > 0) byText += 1
    if (text > 0 || asRole > 0) matched += 1
  }
  if (matched < terms.length / 2) return 0
  // "add to cart button" does not ask for every button of the page.
  const hasText = terms.some((term) => !(term in ROLE_WORDS) && !ROLES.has(term))
  if (hasText && byText === 0) return 0
  if (said.join(' ').includes(phrase)) sum += 3
  if (said.join(' ') === phrase) sum += 2
  if (item.actionable) sum += 1
  // Of two that match alike, the one that says less besides is meant.
  return (sum * matched) / terms.length - Math.min(said.length, 100) / 100
}

/** Something that can be used is called just so. */
export const isExact = (item: Item, { phrase }: Query): boolean =>
  item.actionable && phrase !== '' && wordsOf(item.name).join(' ') === phrase

function closeness(term: string, said: readonly string[]): number {
  if (said.includes(term)) return 1
  if (term.length >= 3 && said.some((word) => word.startsWith(term))) return 0.7
  const stem = term.replace(/(ing|es|ed|s)$/, '')
  if (stem.length >= 3 && said.some((word) => word.startsWith(stem))) return 0.6
  return 0
}
