import { internalsOf } from './custom-elements.ts'
import { childrenOf, collapse, isNeverDrawn, truncate, withoutIcons } from './dom.ts'
import { labelsOf } from './labels.ts'
import { pseudoText } from './pseudo.ts'
import * as raw from './raw.ts'
import { isNamedByContent } from './roles.ts'

const CHARS_MAX = 500

/** What an element is called: as assistive technology has it, and where that has nothing, whatever else can be known. */
export function nameOf(element: Element, role: string): string {
  const has = raw.hasAttributes(element)
  const name =
    (has && (labelledBy(element) || collapse(raw.getAttribute(element, 'aria-label') ?? ''))) ||
    (raw.localName(element) === 'td' ? '' : nativeName(element)) ||
    (isNamedByContent(role) ? itemText(element, role) : '') ||
    (has && collapse(raw.getAttribute(element, 'title') ?? '')) ||
    hostLabel(element) ||
    internalsOf(element)?.name ||
    ''
  return truncate(name, CHARS_MAX)
}

/** Of the field that a custom element is drawn as: what that element is called. */
function hostLabel(element: Element): string {
  const root = raw.getRootNode(element)
  if (!(root instanceof ShadowRoot) || !raw.matches(element, 'input, textarea, select')) return ''
  const { host } = root
  return (
    ownLabel(host) ||
    collapse(
      labelsOf(host)
        .map((label) => labelText(label, host))
        .join(' '),
    )
  )
}

const NEAR_LEVELS_MAX = 3
const NEAR_CHARS_MAX = 60
const NEAR_PX_MAX = 100
const OTHER_CONTROLS = 'input:not([type=hidden]), textarea, select, button, a[href], [contenteditable], [role=button]'

/** What stands beside a field that nothing names, or is drawn over it: as a person would call it. */
export function nearbyText(field: Element): string {
  let around = raw.parentElement(field)
  for (let level = 0; level < NEAR_LEVELS_MAX && around; level += 1, around = raw.parentElement(around)) {
    if (raw.querySelectorAll(around, OTHER_CONTROLS).length > 1) return ''
    if (raw.getBoundingClientRect(around).height > NEAR_PX_MAX) return ''
    const text = contentText(around)
    if (text !== '') return text.length <= NEAR_CHARS_MAX ? text : ''
  }
  return ''
}

/** Items may hold controls and items of their own, which have lines of their own. */
const ITEMS = /^(option|menuitem|menuitemcheckbox|menuitemradio|treeitem|tab)$/
const INNER_ITEMS =
  '[role=menu], [role=menuitem], [role=group], [role=listbox], [role=option], [role=tree], [role=treeitem]'
const INNER_CONTROLS = `${INNER_ITEMS}, button, input, select, [role=button], [role=checkbox]`

function itemText(element: Element, role: string): string {
  const without = (inner: string) => contentText(element, false, (node) => raw.matches(node, inner))
  return (ITEMS.test(role) && (without(INNER_CONTROLS) || without(INNER_ITEMS))) || contentText(element)
}

/** What can be known of something that has no name. */
export interface Hint {
  /** What its icon or its author calls it, and the colour of a swatch. */
  readonly name: string
  /** `icon=` with the picture that an icon font draws, or `class=` or `id=` with a word of its author, which is no content. */
  readonly mark: string
}

export function hintOf(element: Element): Hint {
  const source = sourceHint(element)
  const name = [source, swatchOf(element)].filter(Boolean).join(' ')
  const mark = name === '' ? markOf(element) : ''
  return { name: name === '' && mark === '' && element instanceof SVGElement ? raw.localName(element) : name, mark }
}

/** Prefixes of icon fonts: what follows is the picture's name. */
const ICON = /^(?:icon|icons|fa|fas|far|glyphicon|mdi|bi|ti|la|ri|codicon|oi|dashicons)[-_]{1,2}/
const WORDS = /^[a-z]{2,}(?:[-_]{1,2}[a-z]{2,})*$/i
const NAME_PARTS = /[-_]+|(?<=[a-z])(?=[A-Z])/
/** What layouts and libraries call everything. */
const NO_WORDS =
  /^(?:btn|button|icons?|svg|fa|fas|far|fab|mdi|bi|glyphicon|material|active|primary|secondary|default|inner|wrapper|container|content|root|base|box|item|flex|block|css|jsx|mui|col|row)$/

/** The picture of an icon, or the last part of a class that is a word, without those of layouts and of generated style sheets. */
function classMark(element: Element): string {
  const names = [element, ...raw.querySelectorAll(element, 'i, svg, span')]
    .slice(0, 5)
    .flatMap((each) => (raw.getAttribute(each, 'class') ?? '').split(/\s+/))
  const icon = names.find((name) => ICON.test(name))
  if (icon !== undefined) return `icon=${icon.replace(ICON, '')}`
  const [word] = names.filter((name) => name.length <= 40 && WORDS.test(name)).flatMap((name) => lastWordOf(name) ?? [])
  return word === undefined ? '' : `class=${word}`
}

const lastWordOf = (name: string): string | undefined =>
  name
    .split(NAME_PARTS)
    .map((part) => part.toLowerCase())
    .findLast((part) => part.length > 2 && /[aeiouy]/.test(part) && !NO_WORDS.test(part))

const markOf = (element: Element): string =>
  classMark(element) || (WORDS.test(raw.id(element)) ? `id=${raw.id(element)}` : '')

/** The colour of something that has nothing in it but that; greys are no choice. */
function swatchOf(element: Element): string {
  if (raw.childNodes(element).length > 0 || !(element instanceof HTMLElement)) return ''
  const { backgroundColor } = getComputedStyle(element)
  const [red = 0, green = 0, blue = 0, alpha = 1] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number)
  const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) < SATURATION_MIN
  return alpha === 0 || isGrey ? '' : backgroundColor
}
const SATURATION_MIN = 40

function sourceHint(element: Element): string {
  const titled = raw.querySelector(element, '[title], [alt], [aria-label]')
  const title =
    titled && ['aria-label', 'alt', 'title'].map((name) => collapse(raw.getAttribute(titled, name) ?? '')).find(Boolean)
  if (title) return truncate(title, 60)
  const { backgroundImage, content } = getComputedStyle(element)
  const [, drawn = ''] = /url\("([^"]+)"\)/.exec(`${backgroundImage} ${content}`) ?? []
  if (drawn && fileName(drawn)) return fileName(drawn)
  const image = raw.matches(element, 'img, use, image') ? element : raw.querySelector(element, 'img, use, image')
  const source = image && (image.getAttribute('src') ?? image.getAttribute('href') ?? image.getAttribute('xlink:href'))
  if (source) {
    const file = fileName(source)
    if (file) return file
  }
  for (const each of [element, ...raw.querySelectorAll(element, 'i, svg, span')].slice(0, 5)) {
    for (const name of ['data-icon', 'data-testid', 'data-action', 'data-tooltip', 'data-original-title', 'name']) {
      const value = raw.getAttribute(each, name)
      if (value && /[a-z]{2}/i.test(value) && value.length <= 60) return value
    }
  }
  return element instanceof SVGElement ? raw.id(element) : ''
}

const fileName = (source: string): string => {
  if (source.startsWith('data:')) return ''
  const [, symbol] = source.split('#')
  const last = symbol || (source.split(/[?#]/)[0] ?? '').split('/').pop() || ''
  return truncate(last.replace(/\.(svg|png|jpe?g|gif|webp|avif)$/i, ''), 60)
}

function labelledBy(element: Element): string {
  const ids = raw.getAttribute(element, 'aria-labelledby')?.trim()
  if (!ids) return ''
  const root = raw.getRootNode(element) as Document | ShadowRoot
  const named = ids.split(/\s+/).map((id) => root.getElementById?.(id) ?? null)
  return collapse(named.map((each) => (each ? ownLabel(each) || contentText(each, true) : '')).join(' '))
}
const ownLabel = (element: Element): string => collapse(raw.getAttribute(element, 'aria-label') ?? '')

function nativeName(element: Element): string {
  if (element instanceof HTMLInputElement) {
    if (/^(submit|reset|button)$/.test(element.type)) {
      return collapse(element.value) || { submit: 'Submit', reset: 'Reset' }[element.type as 'submit'] || ''
    }
    if (element.type === 'image') return collapse(element.alt || element.title) || fileName(element.src)
  }
  const text = collapse(
    labelsOf(element)
      .map((label) => labelText(label, element))
      .join(' '),
  )
  if (text) return text
  switch (raw.localName(element)) {
    case 'img':
    case 'area':
      return collapse(raw.getAttribute(element, 'alt') ?? '')
    case 'fieldset':
      return childText(element, 'legend')
    case 'table':
      return childText(element, 'caption')
    case 'figure':
      return childText(element, 'figcaption')
    case 'details':
      return ''
    case 'optgroup':
      return collapse(raw.getAttribute(element, 'label') ?? '')
    case 'svg':
      return childText(element, 'title')
    default:
      return element instanceof SVGElement ? childText(element, 'title') || groupTitle(element) : ''
  }
}

/** What the group that a shape is in is called, or what is written in it. */
function groupTitle(shape: Element): string {
  const group = shape.parentElement
  if (group?.localName !== 'g') return ''
  const isAlone = raw.querySelectorAll(group, 'text').length === 1
  return (
    childText(group, 'title') ||
    collapse(raw.getAttribute(group, 'aria-label') ?? '') ||
    (isAlone ? childText(group, 'text') : '')
  )
}

function childText(element: Element, tag: string): string {
  const child = [...raw.children(element)].find((each) => raw.localName(each) === tag)
  return child ? contentText(child) : ''
}

/** The label without the control that it is around. */
export function labelText(label: Element, control: Element): string {
  if (!raw.contains(label, control)) return ownLabel(label) || contentText(label)
  return contentText(label, false, (node) => node === control)
}

/** The text in an element, with what only assistive technology reads, without what is not there for anybody. */
export function contentText(root: Element, evenHidden = false, isLeftOut = (_: Element) => false): string {
  let text = ''
  const walk = (node: Node, isTop: boolean) => {
    if (text.length > CHARS_MAX * 2) return
    if (raw.nodeType(node) === Node.TEXT_NODE) {
      text += (node as Text).data
      return
    }
    if (!(node instanceof Element)) return
    if (isNeverDrawn(node) && raw.localName(node) !== 'title') return
    if (!isTop) {
      if (isLeftOut(node)) return
      const style = getComputedStyle(node)
      if (!evenHidden && (style.display === 'none' || style.visibility === 'hidden')) return
      const label = collapse(raw.getAttribute(node, 'aria-label') ?? '') || nativeImage(node)
      if (label) {
        text += ` ${label} `
        return
      }
      if (raw.matches(node, 'select, textarea, input:not([type=button], [type=submit], [type=reset])')) return
      const apart = !style.display.startsWith('inline') || style.display !== 'inline'
      if (apart) text += ' '
      for (const child of childrenOf(node)) walk(child, false)
      if (apart) text += ' '
      return
    }
    text += pseudoText(node, '::before')
    for (const child of childrenOf(node)) walk(child, false)
    text += pseudoText(node, '::after')
  }
  walk(root, true)
  return collapse(withoutIcons(text))
}

const nativeImage = (element: Element): string =>
  raw.localName(element) === 'img'
    ? collapse(raw.getAttribute(element, 'alt') ?? '')
    : raw.localName(element) === 'svg'
      ? childText(element, 'title')
      : ''

/** A message that is prepared in the page and not shown yet says nothing. */
const shownText = (element: Element | null | undefined): string =>
  element?.checkVisibility({ visibilityProperty: true }) ? contentText(element) : ''

/** What more is said of it than its name. */
export function descriptionOf(element: Element, name: string): string {
  if (!raw.hasAttributes(element)) return ''
  const ids = raw.getAttribute(element, 'aria-describedby')?.trim()
  const root = raw.getRootNode(element) as Document | ShadowRoot
  const described = ids
    ? collapse(
        ids
          .split(/\s+/)
          .map((id) => shownText(root.getElementById?.(id)))
          .join(' '),
      )
    : collapse(raw.getAttribute(element, 'aria-description') ?? '')
  const title = collapse(raw.getAttribute(element, 'title') ?? '')
  return described || (title === name ? '' : title)
}
