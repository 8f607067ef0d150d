import type { Target } from '../../../machines/recipe.ts'
import { mayBe, plain } from '../../../machines/recipe-target.ts'
import { newCustoms } from './custom-elements.ts'
import { collapse, parentOf, truncate } from './dom.ts'
import { isWithin } from './elements.ts'
import { type Item, textOf } from './item.ts'
import { labelsOf } from './labels.ts'
import { frameOf, setSuspects } from './new-lines.ts'
import * as raw from './raw.ts'
import { nextNumber, numberOf, Places, startAt } from './redrawn-refs.ts'
import { roleOf } from './roles.ts'
import { isStub, textOfStub } from './stub.ts'
import type { CandidateOptions, Candidates } from './types.ts'
import { walk } from './walk.ts'

/** [J2] What elements are known by when the page is drawn anew. */

const TEXT_CHARS_MAX = 120
const NAME_CHARS_MAX = 300
const CANDIDATES_MAX = 40
const STUBS_EXPANDED_MAX = 100
const LANDMARK = /^(form|navigation|main|search|region|dialog|alertdialog|banner|contentinfo|complementary|tabpanel)$/
const ITEM = /^(listitem|article|option|treeitem)$/
/** What covers pages and is no part of what a task is for. */
const BANNER =
  /cookie|consent|gdpr|datenschutz|confidentialité|privacidad|newsletter|subscribe|abonnier|notification|benachrichtig|our app|the app\b|% off|rabatt/i
const BANNER_CHARS_MAX = 2_000

/** An item with what is around it. */
interface Placed {
  readonly item: Item
  readonly heading: string
  readonly landmark: string
  readonly row: string
  readonly listItem: string
}

function* placed(items: readonly Item[], around: Omit<Placed, 'item'>, last: { heading: string }): Generator<Placed> {
  for (const item of items) {
    if (item.role === 'heading') last.heading = item.name || textOf(item.children, TEXT_CHARS_MAX)
    yield { ...around, item, heading: last.heading }
    const text = () => truncate(nameIn(item), TEXT_CHARS_MAX)
    const inside = {
      ...around,
      ...(LANDMARK.test(item.role) ? { landmark: truncate(`${item.role} ${item.name}`.trim(), TEXT_CHARS_MAX) } : {}),
      ...(item.role === 'row' ? { row: text() } : {}),
      ...(ITEM.test(item.role) ? { listItem: text() } : {}),
    }
    yield* placed(item.children, inside, last)
  }
}

const NOWHERE = { heading: '', landmark: '', row: '', listItem: '' }

function factsOf({ item, heading, landmark, row, listItem }: Placed, alike: number): Target {
  const { element, role } = item
  const control = (element instanceof HTMLLabelElement && element.control) || element
  const name = nameIn(item)
  const label = collapse(
    labelsOf(control)
      .map(({ textContent }) => textContent ?? '')
      .join(' '),
  )
  const attribute = (names: string) => {
    const values = names.split(' ').map((each) => raw.getAttribute(control, each))
    return truncate(values.find(Boolean) ?? '', TEXT_CHARS_MAX)
  }
  const given = {
    label: label === name ? '' : truncate(label, TEXT_CHARS_MAX),
    heading: truncate(heading, TEXT_CHARS_MAX),
    landmark,
    row,
    item: listItem,
    type: raw.matches(control, 'input, button') ? attribute('type') : '',
    attribute: attribute('name'),
    id: truncate(raw.id(control), TEXT_CHARS_MAX),
    testId: attribute('data-testid data-test-id data-test data-qa data-cy'),
    href: item.url,
  }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  return { role, name, ...known, alike, ...(isInBanner(element) ? { overlay: true } : {}) }
}

const nameIn = (item: Item): string => truncate(item.name || textOf(item.children, TEXT_CHARS_MAX), NAME_CHARS_MAX)

function isInBanner(element: Element): boolean {
  for (let at: Element | null = element; at && at !== raw.page('body'); at = parentOf(at)) {
    const { position } = getComputedStyle(at)
    const covers = position === 'fixed' || position === 'sticky' || /dialog$/.test(roleOf(at))
    const text = covers ? (raw.textContent(at) ?? '') : ''
    if (covers && text.length <= BANNER_CHARS_MAX && BANNER.test(text)) return true
  }
  return false
}

/** What an element is known by; `null` where no line stands for it, or what stands for it cannot be used. */
export function targetOf(node: Node): Target | null {
  const element = node instanceof Element ? node : node.parentElement
  if (!element) return null
  const all = [...placed(walk(raw.page('documentElement')).items, NOWHERE, { heading: '' })]
  const own = all.find(({ item }) => item.element === element)
  const around = all.filter(({ item }) => item.actionable && isWithin(element, item.element)).at(-1)
  const found = own ?? around
  return found && !/^(canvas|video|audio|embedded object)$/.test(found.item.role)
    ? factsOf(found, countAlike(found, all))
    : null
}

const countAlike = ({ item }: Placed, all: readonly Placed[]): number =>
  all.filter((other) => other.item.role === item.role && plain(nameIn(other.item)) === plain(nameIn(item))).length

/** [J3] The elements of the document that a target may be. */
export function candidates({ target, nextRef }: CandidateOptions): Candidates {
  startAt(nextRef)
  const { items, suspects } = walk(raw.page('documentElement'))
  setSuspects(suspects)
  const places = new Places(items)
  const name = plain(target.name)
  const stubs = [...placed(items, NOWHERE, { heading: '' })].flatMap(({ item }) => (isStub(item) ? [item] : []))
  const late = stubs
    .filter((stub) => name !== '' && textOfStub(stub).includes(name))
    .slice(0, STUBS_EXPANDED_MAX)
    .flatMap((stub) => stub.expand())
  places.add(late)
  const all = [...placed([...items, ...late], NOWHERE, { heading: '' })]
  const found = all
    .filter(({ item }) => !isStub(item) && item.role !== 'text')
    .map((each) => ({ each, facts: factsOf(each, countAlike(each, all)) }))
    .filter(({ facts }) => mayBe(target, facts))
    .slice(0, CANDIDATES_MAX)
    .map(({ each: { item }, facts }) => ({
      number: numberOf(item, places),
      target: facts,
      isDisabled: item.states.includes('disabled'),
    }))
  const frames = all.flatMap(({ item }) => frameOf(item.element) ?? [])
  return { found, frames, nextRef: nextNumber(), suspects: suspects.length + newCustoms() }
}
