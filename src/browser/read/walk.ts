import {
  hasArea,
  isOffCanvas,
  isSliver,
  measure,
  overlap,
  type Place,
  placeInside,
  scrolls,
  viewport,
} from './boxes.ts'
import { ariaOf, noteCustom } from './custom-elements.ts'
import { childrenOf, DEPTH_MAX, deepText, isNeverDrawn, maySuspect, withoutIcons } from './dom.ts'
import * as about from './elements.ts'
import { Collector, type Item, withoutLabels, withoutTitle } from './item.ts'
import { forgetLabels } from './labels.ts'
import { Maker } from './make.ts'
import { isPlayer } from './media.ts'
import { nameOf } from './names.ts'
import { pseudoText } from './pseudo.ts'
import * as raw from './raw.ts'
import { claims, delegates, isGrabbed, type Reaction, reactionOf, reactivity } from './reacts.ts'
import { isControl, isField, isLayoutTable, isTransparent, roleOf } from './roles.ts'
import { isFar, isLongList, stubOf } from './stub.ts'
import type { RowState } from './table.ts'

/** Longer than this a walk does not go on. */
const WALK_MS_MAX = 5_000
/** Style sheets are asked for texts before and after this many elements. */
const PSEUDO_ELEMENTS_MAX = 4_000
/** Anything drawn smaller than this is too small to be clicked. */
const THIN_PX_MIN = 4

export interface Walk {
  readonly items: readonly Item[]
  /** That may have a closed shadow root. */
  readonly suspects: readonly Element[]
  /** It took too long: there is more in the document. */
  readonly isCut: boolean
  /** Elements that could not be read, with all that is in them. */
  readonly unread: number
}

interface Around extends Place {
  isClipped: boolean
  readonly depth: number
  /** Within a label whose control has a line of its own, with its words in it. */
  readonly isLabel: boolean
  /** Within something that a click on it is for. */
  readonly isClaimed: boolean
  /** Within something that listens for clicks on what is in it. */
  readonly isDelegate: boolean
  readonly isLayout: boolean
  readonly table: RowState | null
}
const OUTSIDE = {
  depth: 0,
  isClipped: false,
  isFaded: false,
  isScrolled: false,
  isClaimed: false,
  isDelegate: false,
  isLabel: false,
}

/** An element that the walk is at. */
interface Spot {
  readonly element: Element
  readonly role: string
  readonly style: CSSStyleDeclaration
  /** Around what is in it. */
  readonly around: Around
  readonly isShown: boolean
  readonly inView: boolean
}

/** [G15] Reads the document, or one element of it. A document that has just been opened has no element yet. */
export const walk = (root: Element | null): Walk =>
  root ? new Walker().run(root) : { items: [], suspects: [], isCut: false, unread: 0 }

class Walker {
  readonly #started = performance.now()
  readonly #known = reactivity()
  readonly #maker = new Maker()
  readonly #suspects: Element[] = []
  readonly #uploads = new Set<Element>()
  #count = 0
  #isCut = false
  #unread = 0

  run(root: Element): Walk {
    forgetLabels()
    measure()
    const out = new Collector()
    this.#visit(root, { ...OUTSIDE, clip: viewport(), isLayout: false, table: null }, out)
    out.end()
    if (root === raw.page('documentElement')) this.#hiddenUploads(out)
    return { items: withoutLabels(out.items), suspects: this.#suspects, isCut: this.#isCut, unread: this.#unread }
  }

  #expand(element: Element, around: Around): readonly Item[] {
    const out = new Collector()
    this.#visit(element, around, out)
    out.end()
    return withoutLabels(out.items)
  }

  /** What a page has done to an element costs that element, not the page. */
  #visit(element: Element, outer: Around, into: Collector): void {
    try {
      this.#enter(element, outer, into)
    } catch {
      this.#unread += 1
    }
  }

  #enter(element: Element, outer: Around, into: Collector): void {
    if (isNeverDrawn(element) || this.#isCut) return
    if (outer.depth > DEPTH_MAX) {
      this.#unread += 1
      into.text(deepText(element), false, element, element, overlap(raw.getBoundingClientRect(element), outer.clip))
      return
    }
    this.#count += 1
    if (this.#count % 512 === 0 && performance.now() - this.#started > WALK_MS_MAX) this.#isCut = true
    const style = getComputedStyle(element)
    if (style.display === 'none') return
    const rect = style.display === 'contents' ? null : raw.getBoundingClientRect(element)
    const place = style.position === 'fixed' ? { ...outer, clip: viewport(), isClipped: false } : outer
    noteCustom(element)
    const own = roleOf(element)
    const role = place.isLayout && /^(row|cell|columnheader)$/.test(own) ? 'generic' : own
    const isReachable = !rect || (hasArea(rect) && (place.isScrolled || !isOffCanvas(rect)))
    const isShown = isReachable && style.visibility === 'visible' && !place.isClipped
    const inView = isShown && (!rect || overlap(rect, place.clip))
    const around: Around = {
      ...place,
      ...placeInside(place, element, style, rect),
      depth: outer.depth + 1,
      isLabel: outer.isLabel || about.namesShownControl(element),
    }
    if (rect && !isReachable && hasArea(rect)) around.isClipped = true
    const spot = { element, role, style, around, isShown, inView }
    const isBlock = style.display === 'inline-block' || !/^(inline|contents|ruby)/.test(style.display)
    if (isBlock) into.end()
    if (raw.localName(element) === 'br') into.lineBreak()
    else if (isField(role) || /^(select|input)$/.test(raw.localName(element)) || about.isDesigned(element))
      this.#field(spot, into)
    else this.#container(spot, into)
    if (isBlock) into.end()
  }

  /** A form field: its content is its value, so its descendants have no lines of their own. */
  #field({ element, role, style, around, isShown, inView }: Spot, into: Collector): void {
    const isSeen = isShown && !isSliver(raw.getBoundingClientRect(element))
    const isTyped = !isSeen && !around.isLabel && about.takesTypingUnseen(element)
    if ((!isSeen && !isTyped) || about.hasLabelInstead(element) || about.isReplaced(element, style)) return
    if (role === 'file field') this.#uploads.add(element)
    const kind = about.isDesigned(element) ? 'textbox' : role
    const states = isTyped ? ['hidden'] : []
    const item = this.#maker.item({ element, role: kind, inView, actionable: true, states })
    into.add(role === 'listbox' ? { ...item, choices: [], children: this.#options(item, inView) } : item)
  }

  /** The options of a list box are drawn, and can be clicked. */
  #options({ choices }: Item, inView: boolean): Item[] {
    return choices.map(({ element }) => this.#maker.item({ element, role: 'option', inView, actionable: true }))
  }

  #container(spot: Spot, into: Collector): void {
    const { element, role: own, style, around, isShown, inView } = spot
    if (about.hasLabelInstead(element)) return
    const toggle = about.hiddenToggle(element)
    const role = toggle ? roleOf(toggle) : own
    const reaction = this.#reactionOf(spot, role)
    const isTable = own === 'table'
    const isLayout = isTable && isLayoutTable(element)
    const isPage = about.isPageElement(element)
    const scrolled = scrolls(style.overflow) ? about.scrollState(element) : ''
    const within: Around = {
      ...around,
      // A place that scrolls may have the focus; what is in it is not one thing.
      isClaimed: around.isClaimed || (reaction === 'click' && scrolled === '' && claims(element, role, style.cursor)),
      isDelegate: !isPage && (around.isDelegate || delegates(element)),
      isLayout: isLayout || (around.isLayout && !isTable),
      table: /^(table|grid|treegrid)$/.test(own) ? { covered: [] } : around.table,
    }
    const inner = { ...spot, around: within }
    const isOwn = !isTransparent(role) || about.isNamed(element) || reaction !== null || scrolled !== ''
    if (!isOwn || isPage || isLayout) {
      this.#content(inner, into)
      return
    }
    const inside = new Collector()
    this.#content(inner, inside)
    inside.end()
    const children = withoutTitle(element, withoutLabels(inside.items))
    if (!isShown && children.length === 0 && !isThin(spot, role)) return
    if (within.isFaded && inView && children.length === 0 && reaction === null && !isControl(role)) return
    const states = [scrolled, isGrabbed(reaction, style.cursor) ? 'draggable' : ''].filter(Boolean)
    const source = toggle ? { source: toggle } : {}
    const item = this.#maker.container({ element, role, inView, children, states, ...source }, reaction, within.table)
    if (item) into.add(item)
    else for (const child of children) into.add(child)
  }

  #reactionOf({ element, style, around }: Spot, role: string): Reaction {
    if (isControl(role) || (raw.hasAttribute(element, 'tabindex') && raw.tabIndex(element as HTMLElement) >= 0))
      return 'click'
    if (isPlayer(element) || (role === 'row' && ariaOf(element, 'expanded') !== null)) return 'click'
    if (style.pointerEvents === 'none' && around.isFaded) return null
    const isPart = around.isClaimed || about.isPageElement(element) || about.isFrame(element)
    if (isPart || about.labelsControl(element)) return null
    // A label's mouse pointer is about its control, and what listens around it means that, too.
    if (around.isLabel) return reactionOf(element, this.#known, 'auto', false)
    return reactionOf(element, this.#known, style.cursor, around.isDelegate)
  }

  /** What is in an element, text and all. */
  #content(spot: Spot, into: Collector): void {
    const { element, style, around, isShown, inView } = spot
    const { whiteSpace } = style
    const isKept = whiteSpace !== 'normal' && (whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces')
    const says = isShown && !around.isClipped && !around.isLabel && !(around.isFaded && inView)
    const hasPseudo = says && this.#count < PSEUDO_ELEMENTS_MAX
    const say = (said: string) => {
      if (said.trim() !== '') into.text(said, isKept, element, element, inView)
    }
    if (hasPseudo) say(pseudoText(element, '::before'))
    for (const area of raw.localName(element) === 'img' ? about.areasOf(element) : []) {
      const name = nameOf(area, 'link') || (area.getAttribute('href') ?? '')
      into.add(this.#maker.item({ element: area, role: 'link', name, inView, actionable: true }))
    }
    if (about.isFrame(element) || style.contentVisibility === 'hidden') return
    const before = into.items.length
    const isClosed = element instanceof HTMLDetailsElement && !element.open
    const isLong = isLongList(element)
    for (const child of childrenOf(element)) {
      if (child instanceof Element) {
        if (isLong && isFar(child)) into.add(stubOf(child, () => this.#expand(child, around)))
        else if (!isClosed || raw.localName(child) === 'summary') this.#visit(child, around, into)
      } else if (child instanceof Text && !isClosed) this.#text(child, spot, says, isKept, into)
    }
    if (hasPseudo) say(pseudoText(element, '::after'))
    const drewAnything = into.items.length > before || raw.childElementCount(element) > 0
    if (maySuspect(element, isShown, drewAnything)) this.#suspects.push(element)
  }

  #text(node: Text, { element, style, around, inView }: Spot, says: boolean, isKept: boolean, into: Collector): void {
    const data = withoutIcons(node.data)
    // An element without a size of its own may well show its text.
    const isHidden = around.isClipped || around.isFaded || around.isLabel || style.visibility !== 'visible'
    if (data.trim() === '') into.text(isKept ? data : ' ', isKept, node, element, inView)
    else if (says || (!isHidden && about.isDrawnText(node))) into.text(data, isKept, node, element, inView)
  }

  /** Where files are chosen is often hidden behind a button: they can be given all the same. */
  #hiddenUploads(into: Collector): void {
    for (const element of raw.page('querySelectorAll')('input[type=file]')) {
      if (this.#uploads.has(element) || about.hasLabelInstead(element)) continue
      const states = ['hidden']
      into.add(this.#maker.item({ element, role: 'file field', inView: false, actionable: true, states }))
    }
  }
}

/** What is meant to be used may be drawn without a size, as by its borders. */
function isThin({ element, style, around }: Spot, role: string): boolean {
  if (!isControl(role) || around.isClipped || style.visibility !== 'visible') return false
  const { width, height } = raw.getBoundingClientRect(element)
  return width + height >= THIN_PX_MIN
}
