import { ariaOf } from './custom-elements.ts'
import { collapse } from './dom.ts'
import { isPlayer, mediaStates, mediaTime } from './media.ts'
import { DOTS } from './password-dots.ts'
import * as raw from './raw.ts'

/** The states of an element in the words that are shown: `checked`, `disabled`, `level=2`. */
export function statesOf(element: Element, role: string, focused: Element | null): string[] {
  if (isPlayer(element)) return mediaStates(element)
  const states: string[] = []
  if (isPlain(element)) return states
  const aria = (name: string) => ariaOf(element, name)
  const checked = checkedOf(element, role)
  if (checked !== null)
    states.push(checked === 'mixed' ? 'partly checked' : checked === 'true' ? 'checked' : 'not checked')
  const pressed = aria('pressed')
  if (pressed === 'true' || pressed === 'mixed') states.push(pressed === 'true' ? 'pressed' : 'partly pressed')
  const expanded = expandedOf(element)
  if (expanded !== null) states.push(expanded ? 'expanded' : 'collapsed')
  if (aria('selected') === 'true' || (element instanceof HTMLOptionElement && element.selected)) states.push('selected')
  if (raw.matches(element, ':disabled') || aria('disabled') === 'true') states.push('disabled')
  if (raw.matches(element, ':required') || aria('required') === 'true') states.push('required')
  if (aria('readonly') === 'true' || (isTextual(element) && element.readOnly)) states.push('readonly')
  if (element === focused) states.push('focused')
  if (aria('modal') === 'true' || (raw.localName(element) === 'dialog' && raw.matches(element, ':modal')))
    states.push('modal')
  if (aria('busy') === 'true') states.push('busy')
  if (aria('multiselectable') === 'true' || (element instanceof HTMLSelectElement && element.multiple)) {
    states.push('multiselectable')
  }
  if (raw.localName(element) === 'textarea' || aria('multiline') === 'true') states.push('multiline')
  if (isInvalid(element)) states.push(`invalid${whyOf(element)}`)
  const current = aria('current')
  if (current && current !== 'false') states.push(current === 'true' ? 'current' : `current ${current}`)
  const sorted = aria('sort')
  if (sorted && sorted !== 'none') states.push(`sorted ${sorted}`)
  if (role === 'heading') {
    const level = aria('level') ?? /^h([1-6])$/.exec(raw.localName(element))?.[1]
    if (level) states.push(`level=${level}`)
  }
  const range = rangeOf(element, role)
  if (range) states.push(range)
  const place = placeOf(element, role)
  if (place) states.push(place)
  if (raw.getAttribute(element, 'draggable') === 'true') states.push('draggable')
  return states
}

/** Most elements have no state at all. */
const isPlain = (element: Element): boolean =>
  !/^(input|button|select|textarea|option|optgroup|fieldset|summary|dialog|h[1-6])$/.test(raw.localName(element)) &&
  !raw.localName(element).includes('-') &&
  (!raw.hasAttributes(element) ||
    !raw.getAttributeNames(element).some((name) => /^aria-|^(role|draggable|tabindex)$/.test(name)))

function checkedOf(element: Element, role: string): string | null {
  if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')) {
    return element.indeterminate ? 'mixed' : String(element.checked)
  }
  const checked = ariaOf(element, 'checked')
  if (checked !== null) return checked
  return /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role) ? 'false' : null
}

function expandedOf(element: Element): boolean | null {
  if (raw.localName(element) === 'summary') {
    const details = raw.parentElement(element)
    return details instanceof HTMLDetailsElement ? details.open : null
  }
  // A list that the page draws by its own style sheet, which is a part of it.
  if (element instanceof HTMLSelectElement && raw.matches(element, ':open')) return true
  const expanded = ariaOf(element, 'expanded')
  return expanded === 'true' || expanded === 'false' ? expanded === 'true' : null
}

const isTextual = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement &&
    !/^(checkbox|radio|button|submit|reset|file|image|color|range)$/.test(element.type))

function isInvalid(element: Element): boolean {
  const invalid = ariaOf(element, 'invalid')
  return (invalid !== null && invalid !== 'false' && invalid !== '') || raw.matches(element, ':user-invalid')
}

/** What the browser says of it beside the field, in a bubble of its own. */
const whyOf = (element: Element): string =>
  raw.matches(element, ':user-invalid') && 'validationMessage' in element && element.validationMessage
    ? `=${JSON.stringify(element.validationMessage)}`
    : ''

function rangeOf(element: Element, role: string): string {
  if (role !== 'slider' && role !== 'spinbutton') return ''
  const native = element instanceof HTMLInputElement ? element : null
  const isRange = native?.type === 'range'
  // What it is set by is told: a player's bar may call its percents seconds for assistive technology.
  const min = native?.min || (isRange ? '0' : (ariaOf(element, 'valuemin') ?? ''))
  const max = native?.max || (isRange ? '100' : (ariaOf(element, 'valuemax') ?? ''))
  return min !== '' && max !== '' && Number(max) > Number(min) ? `range=${min}..${max}` : ''
}

/** What a bar of numbers of its own calls the place where it is: `0:05 of 0:12`. */
const placeOf = (element: Element, role: string): string => {
  const text =
    role === 'slider' && element instanceof HTMLInputElement ? collapse(ariaOf(element, 'valuetext') ?? '') : ''
  return text !== '' && text !== (element as HTMLInputElement).value ? `at ${JSON.stringify(text)}` : ''
}

/** What a control holds, white space and all. */
export function heldBy(element: Element, role: string): string {
  if (element instanceof HTMLInputElement) {
    if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(element.type)) return ''
    if (element.type === 'password') return element.value === '' ? '' : DOTS
    if (element.type === 'file') return [...(element.files ?? [])].map(({ name }) => name).join(', ')
    return element.value
  }
  if (isPlayer(element)) return mediaTime(element)
  if (element instanceof HTMLTextAreaElement) return element.value
  if (element instanceof HTMLSelectElement) {
    return [...element.selectedOptions].map((option) => collapse(option.label)).join(', ')
  }
  if (element instanceof HTMLMeterElement || element instanceof HTMLProgressElement) {
    return raw.hasAttribute(element, 'value') ? `${element.value} of ${element.max}` : ''
  }
  if (role === 'textbox' || role === 'searchbox')
    // biome-ignore lint/performance/useDomNodeTextContent: what is drawn, line breaks and all
    return element instanceof HTMLElement ? raw.innerText(element).replace(/\n$/, '') : ''
  if (/^(slider|spinbutton|progressbar|meter|scrollbar|separator)$/.test(role)) {
    return ariaOf(element, 'valuetext') ?? ariaOf(element, 'valuenow') ?? ''
  }
  return ''
}

export interface Choice {
  readonly element: Element
  readonly label: string
  readonly isChosen: boolean
  readonly isDisabled: boolean
}

/** The options of a native select, and what a field suggests. */
export function choicesOf(element: Element): Choice[] {
  if (element instanceof HTMLSelectElement) {
    return [...element.options].map((option) => ({
      element: option,
      label: collapse(option.label),
      isChosen: option.selected,
      isDisabled: option.disabled || option.parentElement?.matches('optgroup:disabled') === true,
    }))
  }
  const list = element instanceof HTMLInputElement ? element.list : null
  if (!list) return []
  return [...list.options].map((option) => ({
    element: option,
    label: option.value,
    isChosen: false,
    isDisabled: option.disabled,
  }))
}
