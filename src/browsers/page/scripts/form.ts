/**
 * Sets a form control, with the control (or what holds it) as `this`. Answers `{control, holds}` or `{error}`.
 * Text goes in as a user's edit would, so that frameworks and `maxlength` see it; what cannot be edited so is set
 * through the prototype's own setter, because frameworks shadow the property on the element.
 */
export const SET_VALUE = `function (wanted) {
  const fail = (error) => ({ error })
  const CONTROLS = 'input, textarea, select, [contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"]'
  const ARIA = ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio']
  const role = (element) => element.getAttribute('role') || ''
  const isControl = (element) => element.matches(CONTROLS) || element.isContentEditable || ARIA.includes(role(element))
  let control = this.nodeType === 1 ? this : this.parentElement
  if (!control) return fail('is no form control.')
  if (control.localName === 'label' && control.control) control = control.control
  if (!isControl(control)) {
    const inside = [...(control.shadowRoot || control).querySelectorAll(CONTROLS)]
    if (inside.length !== 1) {
      return fail('is a <' + control.localName + '> and no form control. Click it with computer, and choose or type then.')
    }
    control = inside[0]
  }
  if (control.matches(':disabled') || control.getAttribute('aria-disabled') === 'true') return fail('is disabled.')
  if (control.readOnly && control.matches('textarea, input:not([type=checkbox]):not([type=radio])')) return fail('is read-only.')

  const fire = (element, type) => element.dispatchEvent(type === 'input'
    ? new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: String(wanted) })
    : new Event(type, { bubbles: true }))
  const setNatively = (element, value) => {
    let prototype = Object.getPrototypeOf(element)
    while (prototype && !Object.getOwnPropertyDescriptor(prototype, 'value')) prototype = Object.getPrototypeOf(prototype)
    const setter = prototype && Object.getOwnPropertyDescriptor(prototype, 'value').set
    if (setter) setter.call(element, value)
    else element.value = value
  }
  const lower = (text) => String(text).trim().replace(/\\s+/g, ' ').toLowerCase()
  const asBoolean = () => {
    if (typeof wanted === 'boolean') return wanted
    if (['true', 'on', 'yes', 'checked', '1'].includes(lower(wanted))) return true
    if (['false', 'off', 'no', 'unchecked', '0', ''].includes(lower(wanted))) return false
    return null
  }
  const labelOf = (element) => (element.labels && element.labels[0] ? element.labels[0].innerText
    : element.getAttribute('aria-label') || element.innerText || element.value || '').trim()

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
    fire(control, 'input')
    fire(control, 'change')
    return { control: 'select', holds: [...control.selectedOptions].map((option) => option.label.trim()).join(', ') }
  }

  const type = control.localName === 'input' ? control.type : ''
  const isNative = type === 'checkbox' || type === 'radio'
  if (isNative || (ARIA.includes(role(control)) && control.localName !== 'input')) {
    const kind = type === 'radio' || role(control).endsWith('radio') ? 'radio' : 'checkbox'
    const isOn = (element) => (isNative ? element.checked : (element.getAttribute('aria-checked') || '') === 'true')
    const on = asBoolean()
    if (kind === 'radio') {
      if (on === null) {
        const root = control.getRootNode()
        const group = isNative && control.name
          ? [...root.querySelectorAll('input[type=radio]')].filter((radio) => radio.name === control.name && radio.form === control.form)
          : [...(control.closest('[role=radiogroup]') || root).querySelectorAll('[role=radio]')]
        const other = group.find((radio) => lower(labelOf(radio)) === lower(wanted)) || group.find((radio) => lower(radio.value) === lower(wanted))
        if (!other) return fail('has no radio button ' + JSON.stringify(wanted) + ' in its group. Its group has ' + group.map((radio) => JSON.stringify(labelOf(radio))).join(', ') + '.')
        control = other
      } else if (!on) {
        return isOn(control) ? fail('is a radio button: choose another one of its group instead.') : { control: kind, holds: 'not chosen' }
      }
      if (!isOn(control)) control.click()
      return { control: kind, holds: isOn(control) ? 'chosen: ' + labelOf(control) : 'not chosen' }
    }
    if (on === null) return fail('is a checkbox and takes true or false, not ' + JSON.stringify(wanted) + '.')
    if (isOn(control) !== on) control.click()
    return new Promise((resolve) => setTimeout(() => resolve({ control: kind, holds: isOn(control) ? 'checked' : 'not checked' })))
  }

  const text = String(wanted)
  if (type === 'file') return fail('takes a file: files cannot be chosen here.')
  if (['submit', 'button', 'reset', 'image'].includes(type)) return fail('is a button: click it with computer.')
  const PICKED = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb', range: 'a number' }
  if (type in PICKED) {
    const before = control.value
    control.focus()
    const plain = type === 'datetime-local' ? text.trim().replace(' ', 'T') : type === 'color' ? text.trim().toLowerCase() : text.trim()
    setNatively(control, plain)
    const refused = type === 'range' ? Number.isNaN(Number(text)) || text.trim() === ''
      : type === 'color' ? control.value !== plain : control.value === '' && text !== ''
    if (refused) {
      setNatively(control, before)
      return fail('takes ' + PICKED[type] + ', not ' + JSON.stringify(wanted) + '.')
    }
    fire(control, 'input')
    fire(control, 'change')
    return { control: type, holds: control.value }
  }

  const editable = control.isContentEditable
  const root = control.getRootNode()
  control.focus()
  const held = () => (editable ? control.innerText.replace(/\\n$/, '') : control.value)
  const before = held()
  if (editable) {
    const range = control.ownerDocument.createRange()
    range.selectNodeContents(control)
    const selection = control.ownerDocument.getSelection()
    selection.removeAllRanges()
    selection.addRange(range)
  } else control.select()
  const SLOW_CHARS = 5000
  if (before !== text && text.length <= SLOW_CHARS && root.activeElement === control) {
    if (text === '') control.ownerDocument.execCommand('delete')
    else control.ownerDocument.execCommand('insertText', false, text)
  }
  if (held() === before && before !== text) {
    if (editable) control.textContent = text
    else setNatively(control, text)
    fire(control, 'input')
  }
  if (before !== text && !editable) fire(control, 'change')
  // Frameworks answer an event with a value of their own a moment later.
  return new Promise((resolve) => setTimeout(() => resolve({
    control: editable ? 'editable region' : type === 'password' ? 'password' : 'text',
    holds: held(),
  })))
}`
