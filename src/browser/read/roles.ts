/** What an element is, in the words of ARIA and a few of our own. */
import { internalsOf } from './custom-elements.ts'
import * as raw from './raw.ts'

const BY_TAG: Readonly<Record<string, string>> = {
  article: 'article',
  aside: 'complementary',
  audio: 'audio',
  blockquote: 'blockquote',
  button: 'button',
  canvas: 'canvas',
  del: 'deletion',
  dialog: 'dialog',
  embed: 'embedded object',
  fieldset: 'group',
  figure: 'figure',
  frame: 'frame',
  iframe: 'frame',
  ins: 'insertion',
  li: 'listitem',
  main: 'main',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  object: 'embedded object',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  summary: 'disclosure',
  table: 'table',
  td: 'cell',
  textarea: 'textbox',
  th: 'columnheader',
  tr: 'row',
  ul: 'list',
  video: 'video',
}
const BY_TYPE: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  color: 'colour field',
  date: 'date field',
  'datetime-local': 'date and time field',
  file: 'file field',
  image: 'button',
  month: 'date field',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  time: 'time field',
  week: 'date field',
}
/** The roles of ARIA. Any other value of `role` is ignored. */
const KNOWN = new Set(
  'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form grid gridcell group heading image img insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'.split(
    ' ',
  ),
)
/** They have no line of their own unless they have a name or can be used. */
const TRANSPARENT = new Set(
  'generic none presentation paragraph rowgroup document application code emphasis strong term definition time caption math note directory separator'.split(
    ' ',
  ),
)
const CONTROLS = new Set(
  'button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton menuitem menuitemcheckbox menuitemradio tab option treeitem disclosure scrollbar'.split(
    ' ',
  ),
)
const FIELDS = /^(textbox|searchbox|spinbutton|slider|(date|time|date and time|colour|file) field)$/
/** Their name is what is in them. */
const NAMED_BY_CONTENT = new Set(
  'button link heading option tab menuitem menuitemcheckbox menuitemradio checkbox radio switch treeitem disclosure tooltip columnheader rowheader'.split(
    ' ',
  ),
)

export const isTransparent = (role: string): boolean => TRANSPARENT.has(role)
export const isControl = (role: string): boolean => CONTROLS.has(role) || FIELDS.test(role)
export const isField = (role: string): boolean => FIELDS.test(role)
export const isNamedByContent = (role: string): boolean => NAMED_BY_CONTENT.has(role)

export function roleOf(element: Element): string {
  const explicit = raw.getAttribute(element, 'role') ?? internalsOf(element)?.role
  if (explicit) {
    const role = explicit
      .toLowerCase()
      .split(/\s+/)
      .find((word) => KNOWN.has(word))
    if (role === 'img') return 'image'
    if (role !== undefined) return role === 'none' || role === 'presentation' ? 'presentation' : role
  }
  const tag = raw.localName(element)
  if (element instanceof HTMLInputElement)
    return element.list && !BY_TYPE[element.type] ? 'combobox' : (BY_TYPE[element.type] ?? 'textbox')
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
  if (tag === 'a' || tag === 'area')
    return raw.hasAttribute(element, 'href') || raw.hasAttribute(element, 'xlink:href') ? 'link' : 'generic'
  if (/^h[1-6]$/.test(tag)) return 'heading'
  if (tag === 'img') return 'image'
  if (tag === 'svg') return 'svg'
  if (tag === 'th') return raw.getAttribute(element, 'scope') === 'row' ? 'rowheader' : 'columnheader'
  if (tag === 'header' || tag === 'footer') {
    const scoped = raw.closest(element, 'article, aside, main, nav, section')
    return scoped ? 'generic' : tag === 'header' ? 'banner' : 'contentinfo'
  }
  if (tag === 'section' || tag === 'form') return isLabelled(element) ? (tag === 'form' ? 'form' : 'region') : 'generic'
  if (tag === 'summary' && raw.parentElement(element)?.localName !== 'details') return 'generic'
  if (isEditingHost(element)) return 'textbox'
  return BY_TAG[tag] ?? 'generic'
}

const isLabelled = (element: Element): boolean =>
  raw.hasAttribute(element, 'aria-label') ||
  raw.hasAttribute(element, 'aria-labelledby') ||
  raw.hasAttribute(element, 'title')

/** The outermost editable element of a region that a user can write in. */
export const isEditingHost = (element: Element): boolean => {
  const editable = raw.getAttribute(element, 'contenteditable')
  return editable !== null && editable !== 'false' && element instanceof HTMLElement && raw.isContentEditable(element)
}

/** Tables that only place things: one cell says what all of it is. */
export function isLayoutTable(table: Element): boolean {
  if (!(table instanceof HTMLTableElement)) return false
  if (/^(table|grid|treegrid)$/.test(table.getAttribute('role') ?? '')) return false
  if (table.caption || table.tHead || table.querySelector(':scope > * > tr > th')) return false
  if (table.querySelector('table, h1, h2, h3, form')) return true
  const first = table.rows[0]
  return table.rows.length < 2 || !first || first.cells.length < 2
}
