import { collapse, deepActive, truncate } from './dom.ts'
import { isFrame, isPictureWorthALine, isWithin } from './elements.ts'
import { everyItem, type Item, textOf } from './item.ts'
import { descriptionOf, hintOf, nameOf, nearbyText } from './names.ts'
import { addsNothing, joined } from './one-line.ts'
import * as raw from './raw.ts'
import type { Reaction } from './reacts.ts'
import { isField, isNamedByContent, isTransparent } from './roles.ts'
import { choicesOf, heldBy, statesOf } from './states.ts'
import { type RowState, rowItem } from './table.ts'

const NAME_CHARS_MAX = 2_000
/** Texts in it are one name. */
const FOLDED = /^(clickable|hoverable|draggable|cell|gridcell)$/
/** Shown though there is nothing in it. */
const WRITTEN_IN = /^(textbox|searchbox|spinbutton|combobox)$/
const SHOWN_EMPTY = /^(cell|gridcell|columnheader|rowheader|canvas|video|audio|embedded object|separator)$/

export interface Made {
  readonly element: Element
  readonly role: string
  readonly inView: boolean
  readonly children?: readonly Item[]
  readonly actionable?: boolean
  /** Has the states and the value: the control of a label that is drawn in its place. */
  readonly source?: Element
  /** Instead of what it would be called otherwise. */
  readonly name?: string
  readonly states?: readonly string[]
}

/** Makes items of elements. */
export class Maker {
  readonly #focused = deepActive()
  readonly #modal = raw.page('querySelector')('dialog:modal')

  item({
    element,
    role,
    inView,
    children = [],
    actionable = false,
    source = element,
    name: given,
    states = [],
  }: Made): Item {
    const only = children.every((child) => child.role === 'text')
    const said = textOf(children)
    let name = given ?? nameOf(source, role)
    if (!name && only && (children.length === 1 || FOLDED.test(role)))
      name = children.map((child) => child.name).join('\n')
    const placeholder = placeholderOf(source, role)
    if (!name) name = collapse(placeholder)
    if (!name && raw.matches(source, 'input, textarea, select') && (isField(role) || role === 'combobox'))
      name = nearbyText(source)
    const isNameless = !name && ((actionable && children.length === 0 && !WRITTEN_IN.test(role)) || role === 'image')
    const hint = isNameless ? hintOf(element) : null
    if (hint) name = hint.name
    // Its name says it all: what can be used in it is left.
    const isSaid =
      (said === collapse(name) && (only || isNamedByContent(role))) ||
      (only && (role === 'clickable' || isIconText(element, children)))
    return {
      node: element,
      element,
      role,
      name: truncate(name, NAME_CHARS_MAX),
      value: heldBy(source, role),
      description: descriptionOf(source, name),
      placeholder,
      states: [...statesOf(source, role, this.#focused), ...states, ...(hint?.mark ? [hint.mark] : [])],
      url: role === 'link' ? addressOf(element) : '',
      actionable: actionable && !this.#isInert(element),
      choices: choicesOf(source),
      inView,
      children: isSaid ? usableIn(children) : children,
    }
  }

  /** The item of an element with things in it; `null` when only those are worth a line. */
  container(
    made: Made & { readonly children: readonly Item[] },
    reaction: Reaction,
    table: RowState | null,
  ): Item | null {
    const { element, role, children, source, states = [] } = made
    const actionable = reaction !== null
    if (role === 'svg') {
      const name = nameOf(element, 'image')
      if (!name && !actionable) return null
      return this.item({ ...made, role: actionable ? 'clickable' : 'image', name, actionable })
    }
    if (role === 'row') {
      const row = rowItem(children, table, (cells) => this.item({ ...made, ...cells, actionable }))
      const isBare = !row.name && !row.actionable && row.states.length === 0 && row.children.length === 1
      return (isBare && row.children[0]) || row
    }
    if (source) return this.item({ ...made, name: nameOf(source, role) || textOf(children), actionable })
    if (role === 'image' && !actionable && !isPictureWorthALine(element)) return null
    // Around one thing that can be used it adds nothing.
    const isAround = isTransparent(role) && children.length === 1 && children[0]?.actionable && states.length === 0
    const isPlace = reaction === 'drop' || raw.hasAttribute(element, 'draggable')
    if (isAround && !isPlace && !raw.hasAttribute(element, 'aria-label')) return null
    const titled = withTitle(made)
    const item = this.item({ ...titled, role: isTransparent(role) ? kindOf(reaction, states) : role, actionable })
    const isNamed = item.name && !isOutline(element)
    const isEmpty = !item.actionable && !isNamed && !item.value && children.length === 0
    if (isEmpty && !isFrame(element) && !SHOWN_EMPTY.test(role)) return null
    return addsNothing(item, children) && !isPlace ? null : joined(item, reaction)
  }

  /** Behind a dialog, or switched off with what is around it. */
  #isInert(element: Element): boolean {
    const modal = this.#modal
    return (modal !== null && !isWithin(element, modal)) || raw.closest(element, '[inert]') !== null
  }
}

/** What has no name is called as it begins: `listitem "Tea"` in place of an item with a text in it. */
const TITLED = /^(listitem|article|region)$/
const TITLE_CHARS_MAX = 120

function withTitle(made: Made & { readonly children: readonly Item[] }): Made {
  const { element, role, children } = made
  const [first, ...rest] = children
  // A legend that can be used says it.
  if (role === 'group' && first?.actionable && first.name && first.name === nameOf(element, role))
    return { ...made, name: '' }
  // A text of its own, not the beginning of a sentence that goes on in what follows.
  if (!TITLED.test(role) || first?.role !== 'text' || first.element === element || rest.length === 0) return made
  if (first.name.length > TITLE_CHARS_MAX || first.name.includes('\n') || nameOf(element, role)) return made
  return { ...made, name: first.name, children: rest }
}

const usableIn = (children: readonly Item[]): Item[] =>
  [...everyItem(children)].filter((item) => item.actionable).map((item) => ({ ...item, children: [] }))

/** The border of a field, drawn by a fieldset whose legend only keeps the place of the label free. */
const isOutline = (element: Element): boolean =>
  raw.localName(element) === 'fieldset' && raw.getAttribute(element, 'aria-hidden') === 'true'

/** Where a link leads; nothing where only a script makes it lead anywhere. */
function addressOf(link: Element): string {
  if (/^\s*(javascript:|#\s*$)/i.test(link.getAttribute('href') ?? '')) return ''
  const { href = '' } = link as HTMLAnchorElement | SVGAElement
  if (typeof href === 'string') return href
  return URL.canParse(href.baseVal, raw.page('baseURI')) ? new URL(href.baseVal, raw.page('baseURI')).href : ''
}

const placeholderOf = (source: Element, role: string): string =>
  isField(role) || raw.localName(source) === 'input'
    ? (raw.getAttribute(source, 'placeholder') ?? raw.getAttribute(source, 'aria-placeholder') ?? '')
    : ''

/** What an element is that has no role of its own. */
function kindOf(reaction: Reaction, states: readonly string[]): string {
  if (reaction === 'click') return 'clickable'
  if (reaction !== null) return { hover: 'hoverable', drag: 'draggable', drop: 'drop area' }[reaction]
  return states.some((state) => state.startsWith('scrolled')) ? 'scroll area' : 'group'
}

/** The text of an icon font's glyph, which is not meant to be read. */
const isIconText = (element: Element, inside: readonly Item[]): boolean =>
  raw.hasAttribute(element, 'aria-label') &&
  inside.every(({ element: own }) => raw.getAttribute(own, 'aria-hidden') === 'true')
