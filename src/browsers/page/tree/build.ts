import type { AxNode } from '../cdp.ts'
import { clip, everyItem, type Item, squash, textOf } from './item.ts'

/** A frame's accessibility nodes as they came, and where its child frames hang. */
export interface RawTree {
  readonly nodes: readonly AxNode[]
  /** By the element that holds the frame. */
  readonly frames: ReadonlyMap<number, RawTree>
}

/** What the accessibility nodes do not tell, by element. */
export interface TreeExtras {
  readonly clickable: ReadonlySet<number>
  readonly placeholders: ReadonlyMap<number, string>
}

const ACTIONABLE = new Set(
  'button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton menuitem menuitemcheckbox menuitemradio tab option treeitem Date DateTime InputTime ColorWell DisclosureTriangle PopUpButton'.split(
    ' ',
  ),
)
const FIELDS = new Set(['textbox', 'searchbox', 'spinbutton', 'Date', 'DateTime', 'InputTime', 'ColorWell', 'slider'])
/** Left out, their children in their place. */
const TRANSPARENT = new Set([
  'none',
  'generic',
  'GenericContainer',
  'presentation',
  'RootWebArea',
  'MenuListPopup',
  'LabelText',
])
const NEVER = new Set(['InlineTextBox', 'LineBreak', 'ListMarker', 'ScrollBar'])
const NICER: Readonly<Record<string, string>> = {
  Date: 'date field',
  DateTime: 'date and time field',
  InputTime: 'time field',
  ColorWell: 'colour field',
  DisclosureTriangle: 'disclosure',
  PopUpButton: 'combobox',
  StaticText: 'text',
  image: 'image',
  img: 'image',
  Iframe: 'frame',
  IframePresentational: 'frame',
  paragraph: 'paragraph',
}
const NAME_CHARS_MAX = 500
/** A container that listens for clicks on behalf of many elements is none itself. */
const CLICKABLE_TEXT_CHARS_MAX = 200
const CLICKABLE_INSIDE_MAX = 2

/** The items of a page: what says nothing is left out, what is said twice is said once. */
export function build(tree: RawTree, extras: TreeExtras): Item[] {
  const byId = new Map(tree.nodes.map((node) => [node.nodeId, node]))
  const root = tree.nodes.find((node) => node.parentId === undefined) ?? tree.nodes[0]
  return root ? mergeTexts(expand(root, false)) : []

  function expand(node: AxNode, insideControl: boolean): Item[] {
    const role = String(node.role?.value ?? 'none')
    if (NEVER.has(role)) return []
    const properties = new Map(node.properties?.map(({ name, value }) => [name, value.value]))
    const id = node.backendDOMNodeId ?? null
    const rich = properties.get('editable') === 'richtext' && properties.get('focusable') === true
    const control = !node.ignored && (ACTIONABLE.has(role) || rich)
    const focusable = !node.ignored && properties.get('focusable') === true && !role.startsWith('Iframe')
    const inner = (node.childIds ?? []).flatMap((childId) => {
      const child = byId.get(childId)
      return child ? expand(child, insideControl || control) : []
    })
    const frame = id !== null ? tree.frames.get(id) : undefined
    const children = mergeTexts(frame ? build(frame, extras) : inner)
    const name = squash(String(node.name?.value ?? ''))

    if (!node.ignored && role === 'StaticText') return name ? [textItem(name)] : []
    const isRoot = role === 'RootWebArea'
    const listens =
      !isRoot &&
      role !== 'LabelText' &&
      !control &&
      !insideControl &&
      id !== null &&
      extras.clickable.has(id) &&
      isOneThing(children)
    const transparent = node.ignored || (TRANSPARENT.has(role) && !name) || isRoot
    const actionable = control || (focusable && !isRoot) || listens
    if (transparent && !actionable) return children
    const text = listens && transparent && children.every((child) => child.role === 'text') ? textOf(children) : ''
    const item: Item = {
      role: rich && !ACTIONABLE.has(role) ? 'textbox' : listens && transparent ? 'clickable' : (NICER[role] ?? role),
      name: clip(name || text, NAME_CHARS_MAX),
      value: rich ? textOf(children) : squash(String(node.value?.value ?? '')),
      description: squash(String(node.description?.value ?? '')),
      placeholder: (id !== null && extras.placeholders.get(id)) || '',
      states: statesOf(role, properties),
      url: role === 'link' ? String(properties.get('url') ?? '') : '',
      backendNodeId: id,
      actionable,
      options: role === 'combobox' ? optionsOf(children) : [],
      children: [],
    }
    if (role === 'combobox' && item.options.length > 0) return [item]
    if (FIELDS.has(role) || rich) return [item]
    if (role === 'Iframe' && !frame && children.length === 0)
      return [{ ...item, states: ['(another site: use a screenshot and coordinates)'] }]
    return isEmpty(item, children) ? [] : [{ ...item, children: saysTheSame(item, children) ? [] : children }]
  }
}

const textItem = (name: string): Item => ({
  role: 'text',
  name,
  value: '',
  description: '',
  placeholder: '',
  states: [],
  url: '',
  backendNodeId: null,
  actionable: false,
  options: [],
  children: [],
})

function isOneThing(children: readonly Item[]): boolean {
  if (textOf(children).length > CLICKABLE_TEXT_CHARS_MAX) return false
  let inside = 0
  for (const item of everyItem(children)) if (item.actionable) inside += 1
  return inside <= CLICKABLE_INSIDE_MAX
}

const isEmpty = (item: Item, children: readonly Item[]): boolean =>
  !item.actionable && !item.name && !item.value && children.length === 0 && item.role !== 'frame'

/** The name was made from the text inside, and nothing but text is inside. */
const saysTheSame = (item: Item, children: readonly Item[]): boolean =>
  children.every((child) => child.role === 'text') && squash(children.map(({ name }) => name).join(' ')) === item.name

/** Joins texts that follow each other, and leaves out those that only label the control beside them. */
function mergeTexts(items: readonly Item[]): Item[] {
  const merged: Item[] = []
  for (const item of items) {
    const last = merged.at(-1)
    if (item.role === 'text' && last?.role === 'text')
      merged[merged.length - 1] = textItem(joined(last.name, item.name))
    else merged.push(item)
  }
  return merged.filter((item, at) => {
    if (item.role !== 'text') return true
    const beside = [merged[at - 1], merged[at + 1]]
    return !beside.some((other) => other?.actionable && other.role !== 'link' && other.name === item.name)
  })
}

/** Inline elements cut a sentence into pieces; punctuation belongs to the word before it. */
const joined = (a: string, b: string): string => (/^[.,;:!?)\]%]/.test(b) || /[([]$/.test(a) ? a + b : `${a} ${b}`)

function optionsOf(children: readonly Item[]): string[] {
  const options: string[] = []
  for (const item of everyItem(children)) {
    if (item.role === 'option') options.push(item.states.includes('selected') ? `*${item.name}` : item.name)
  }
  return options
}

function statesOf(role: string, properties: ReadonlyMap<string, unknown>): string[] {
  const states: string[] = []
  const checked = properties.get('checked')
  if (checked !== undefined)
    states.push(checked === 'mixed' ? 'partly checked' : checked === 'true' ? 'checked' : 'not checked')
  if (properties.get('pressed') === 'true') states.push('pressed')
  const expanded = properties.get('expanded')
  if (expanded !== undefined && role !== 'combobox') states.push(expanded ? 'expanded' : 'collapsed')
  for (const state of ['selected', 'disabled', 'required', 'readonly', 'focused', 'modal', 'busy', 'multiselectable']) {
    if (properties.get(state) === true) states.push(state)
  }
  const invalid = properties.get('invalid')
  if (invalid !== undefined && invalid !== 'false') states.push('invalid')
  const level = properties.get('level')
  if (role === 'heading' && level !== undefined) states.push(`level=${level}`)
  if (role === 'slider' || role === 'spinbutton') {
    const [min, max] = [properties.get('valuemin'), properties.get('valuemax')]
    if (typeof min === 'number' && typeof max === 'number' && max > min) states.push(`range=${min}..${max}`)
  }
  return states
}
