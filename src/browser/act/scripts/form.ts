/**
 * Form controls, in our isolated world: what sort of control an element is, what it holds, and those that are set by
 * their properties because no user's edit can be made of it.
 */

/** What a control is set by. */
export interface ControlKind {
  /** By its text, its options, steps of its keys, a click, its own property, or as a player. */
  readonly kind: 'text' | 'choice' | 'steps' | 'toggle' | 'native' | 'media' | 'custom'
  /** Of a text: one line, several, an editable region, or an editor that draws what a hidden field takes. */
  readonly text?: 'line' | 'lines' | 'region' | 'code'
  readonly isPassword?: boolean
  /** Text that belongs to a list of options. */
  readonly hasOptions?: boolean
}
export type Kind = ControlKind | { readonly error: string }

const CODE = '.CodeMirror, .monaco-editor, .ace_editor'

/** The control that the element is or holds, or \`null\`. */
export const CONTROL_OF = `function () {
  const FIELDS = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"]'
  const ROLES = ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio', 'slider', 'spinbutton', 'combobox', 'listbox']
  const element = this.nodeType === 1 ? this : this.parentElement
  if (!element) return null
  if (element.localName === 'label' && element.control) return element.control
  if (element.matches('video, audio')) return element
  if (element.matches(FIELDS) || element.isContentEditable || element.editContext) return element
  if (element === element.ownerDocument.body && element.ownerDocument.designMode === 'on') return element
  const inside = [...(reader.rootOf(element) || element).querySelectorAll(FIELDS)]
  const code = element.closest('${CODE}') || element.querySelector('${CODE}')
  const typed = code && ([...code.querySelectorAll('*')].find((inner) => inner.editContext) || code.querySelector('textarea, [contenteditable=true]'))
  if (typed) return typed
  if (element.getAttribute('role') === 'radiogroup') return element.querySelector('input[type=radio], [role=radio]')
  if (inside.length === 1 && !['slider', 'spinbutton'].includes(element.getAttribute('role'))) return inside[0]
  const opens = ['listbox', 'true', 'menu'].includes(element.getAttribute('aria-haspopup')) && element.localName === 'button'
  return ROLES.includes(element.getAttribute('role')) || opens || element.localName.includes('-') ? element : null
}`

/** What a control is set by, or why it takes nothing: \`Kind\`. */
export const KIND_OF = `function () {
  const role = this.getAttribute('role') || ''
  if (this.matches(':disabled') || this.closest('[aria-disabled=true]')) return { error: 'is disabled.' }
  if (this.matches('video, audio')) return { kind: 'media' }
  const isInput = this.localName === 'input'
  const type = isInput ? this.type : ''
  if (type === 'checkbox' || type === 'radio') return { kind: 'toggle' }
  if (this.localName === 'select') return { kind: 'native' }
  const isText = this.localName === 'textarea' || isInput && ['text', 'search', 'url', 'tel', 'email', 'password', 'number', ''].includes(type)
  if (isInput && !isText) return { kind: 'native' }
  if (isText) {
    if (this.closest('${CODE}')) return { kind: 'text', text: 'code' }
    const picks = role === 'combobox' || ['list', 'both'].includes(this.getAttribute('aria-autocomplete')) || this.getAttribute('aria-haspopup') === 'listbox'
    if (this.readOnly) return picks ? { kind: 'choice' } : { error: 'is read-only.' + (this.getAttribute('aria-haspopup') ? ' Click it, and choose in what opens.' : '') }
    const isSearch = type === 'search' || this.name === 'q' || !!this.closest('search, [role=search]')
    return { kind: 'text', text: isInput ? 'line' : 'lines', isPassword: type === 'password', hasOptions: picks && !isSearch }
  }
  const isDesigned = this === this.ownerDocument.body && this.ownerDocument.designMode === 'on'
  if (this.editContext) return { kind: 'text', text: 'code' }
  if (this.isContentEditable || isDesigned) return { kind: 'text', text: this.closest('${CODE}') ? 'code' : 'region' }
  if (['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'].includes(role)) return { kind: 'toggle' }
  if (role === 'slider' || role === 'spinbutton') return { kind: 'steps' }
  if (!role && this.localName.includes('-')) return { kind: 'custom' }
  return { kind: 'choice' }
}`

/** Focuses a text control and selects its whole text. Returns whether it has the focus afterwards. */
export const SELECT_ALL = `function () {
  const page = this.ownerDocument
  if (page !== document || page.designMode === 'on') page.defaultView.focus()
  this.focus()
  if (this.localName === 'textarea' || this.localName === 'input') {
    try { this.select() } catch {}
    return this.getRootNode().activeElement === this
  }
  const range = page.createRange()
  range.selectNodeContents(this)
  const selection = page.getSelection()
  selection.removeAllRanges()
  selection.addRange(range)
  return page.designMode === 'on' || this.contains(page.activeElement) || this.getRootNode().activeElement === this
}`

/** The text that a text control holds, as it is drawn where that is another thing. */
export const HELD = `function () {
  const code = this.closest('${CODE}')
  const lines = code && [...code.querySelectorAll('.CodeMirror-line, .view-line, .ace_line')]
  if (lines && lines.length > 0) {
    return lines.map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent.replace(/\\u200b/g, '').replace(/\\u00a0/g, ' ') }))
      .sort((a, b) => a.top - b.top).map(({ text }) => text).join('\\n')
  }
  if (this.localName === 'textarea' || this.localName === 'input') return this.value
  return this.innerText.replace(/\\u00a0/g, ' ').replace(/\\n$/, '')
}`

const SET_PROPERTY = `(element, value) => {
  // Of the prototype: frameworks shadow the property on the element.
  let prototype = Object.getPrototypeOf(element)
  while (prototype && !Object.getOwnPropertyDescriptor(prototype, 'value')) prototype = Object.getPrototypeOf(prototype)
  const setter = prototype && Object.getOwnPropertyDescriptor(prototype, 'value').set
  if (setter) setter.call(element, value)
  else element.value = value
}`

/** Sets the text of a field that took no edit by its property. */
export const SET_TEXT = `function (text) {
  const set = ${SET_PROPERTY}
  set(this, text)
  this.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: text }))
}`
/** Pastes a text where an editor has its selection. Returns whether the editor took it. */
export const PASTE = `function (text) {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  return !this.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }))
}`
export const CHANGED = `function () { this.dispatchEvent(new Event('change', { bubbles: true })) }`

/** What such a control holds, as `SET_NATIVE` answers it. */
export const HELD_NATIVE = `function () {
  return this.localName === 'select' ? [...this.selectedOptions].map((option) => option.label.trim()).join(', ') : this.value
}`

/** Chooses in a select, or sets a date, time, colour or range: \`{control, holds}\` or \`{error}\`. */
export const SET_NATIVE = `function (wanted) {
  const control = this
  const fail = (error) => ({ error })
  const fire = () => {
    control.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: String(wanted) }))
    control.dispatchEvent(new Event('change', { bubbles: true }))
  }
  const setNatively = ${SET_PROPERTY}
  const lower = (text) => String(text).trim().replace(/\\s+/g, ' ').toLowerCase()
  if (control.localName === 'select') {
    const options = [...control.options]
    const match = (text) => options.find((option) => option.label.trim() === text.trim())
      || options.find((option) => option.value === text)
      || options.find((option) => lower(option.label) === lower(text) || lower(option.value) === lower(text))
    let chosen = [match(String(wanted))]
    if (!chosen[0] && control.multiple) chosen = String(wanted).split(',').map(match)
    if (control.multiple && wanted === '') chosen = []
    if (chosen.some((option) => !option)) {
      const shown = options.slice(0, 50).map((option) => JSON.stringify(option.label.trim())).join(', ')
      return fail('has no option ' + JSON.stringify(wanted) + '. Its options are ' + shown + (options.length > 50 ? ', …' : '') + '.')
    }
    const disabled = chosen.find((option) => option.disabled || option.closest('optgroup[disabled]'))
    if (disabled) return fail('has the option ' + JSON.stringify(disabled.label.trim()) + ', but it is disabled.')
    control.focus()
    if (control.multiple) for (const option of options) option.selected = chosen.includes(option)
    else control.selectedIndex = chosen[0].index
    fire()
    return { control: 'select', holds: [...control.selectedOptions].map((option) => option.label.trim()).join(', ') }
  }
  const type = control.type
  const text = String(wanted).trim()
  if (type === 'file') return fail('takes a file: give it one with files upload.')
  const PICKED = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb', range: 'a number' }
  if (!(type in PICKED)) return fail('is a button: click it with computer.')
  if (control.readOnly) return fail('is read-only.')
  const before = control.value
  control.focus()
  const plain = type === 'datetime-local' ? text.replace(' ', 'T') : type === 'color' ? text.toLowerCase() : text
  setNatively(control, plain)
  const isNumber = text !== '' && Number.isFinite(Number(text))
  const refused = type === 'range' ? !isNumber
    : type === 'color' ? control.value !== plain : control.value === '' && text !== ''
  if (refused) {
    setNatively(control, before)
    return fail('takes ' + PICKED[type] + ', not ' + JSON.stringify(wanted) + '.')
  }
  if (type === 'range' && Number(control.value) !== Number(text)) {
    setNatively(control, before)
    const step = control.step === 'any' ? '' : ' in steps of ' + (control.step || 1)
    return fail('goes from ' + (control.min || 0) + ' to ' + (control.max || 100) + step + ', so not to ' + text + '.')
  }
  fire()
  return { control: type, holds: control.value }
}`

/**
 * What has to be clicked so that a checkbox, switch or radio button is as wanted: remembers it for \`TOGGLE\`, and
 * answers \`{clicks, isOn}\` or \`{error}\`.
 */
export const PLAN_TOGGLE = `function (wanted) {
  const fail = (error) => ({ error })
  const isNative = this.localName === 'input'
  const lower = (text) => String(text).trim().replace(/\\s+/g, ' ').toLowerCase()
  const labelOf = (element) => (element.labels && element.labels[0] ? element.labels[0].innerText
    : element.getAttribute('aria-label') || element.innerText || element.value || '').trim()
  const isOn = (element) => (isNative ? element.checked : (element.getAttribute('aria-checked') || '') === 'true')
  const on = typeof wanted === 'boolean' ? wanted
    : ['true', 'on', 'yes', 'checked', '1'].includes(lower(wanted)) ? true
    : ['false', 'off', 'no', 'unchecked', '0', ''].includes(lower(wanted)) ? false : null
  const isRadio = this.type === 'radio' || (this.getAttribute('role') || '').endsWith('radio')
  const plan = (control, clicks) => {
    globalThis.browserTaskToggle = control
    return { clicks }
  }
  if (!isRadio) {
    if (on === null) return fail('is a checkbox and takes true or false, not ' + JSON.stringify(wanted) + '.')
    return plan(this, isOn(this) !== on)
  }
  if (on === true) return plan(this, !isOn(this))
  if (on === false) return isOn(this) ? fail('is a radio button: choose another one of its group instead.') : plan(this, false)
  const root = this.getRootNode()
  const group = isNative && this.name
    ? [...root.querySelectorAll('input[type=radio]')].filter((radio) => radio.name === this.name && radio.form === this.form)
    : [...(this.closest('[role=radiogroup]') || root).querySelectorAll('[role=radio]')]
  const other = group.find((radio) => lower(labelOf(radio)) === lower(wanted)) || group.find((radio) => lower(radio.value) === lower(wanted))
  if (!other) return fail('has no radio button ' + JSON.stringify(wanted) + ' in its group. Its group has ' + group.map((radio) => JSON.stringify(labelOf(radio))).join(', ') + '.')
  return plan(other, !isOn(other))
}`
export const TOGGLE = `function () { return globalThis.browserTaskToggle }`
export const CLICK = `function () { this.click() }`

/** Whether it is on, and what it says then. */
export const TOGGLE_STATE = `function () {
  const isRadio = this.type === 'radio' || (this.getAttribute('role') || '').endsWith('radio')
  const isOn = this.localName === 'input' ? this.checked : (this.getAttribute('aria-checked') || '') === 'true'
  const label = (this.labels && this.labels[0] ? this.labels[0].innerText : this.getAttribute('aria-label') || this.innerText || this.value || '').trim()
  return { isOn, holds: isRadio ? (isOn ? 'chosen: ' + label : 'not chosen') : isOn ? 'checked' : 'not checked' }
}`
