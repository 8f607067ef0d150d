/** A property of the `form`, which its fields hide if they have that name. */
export const formGet = (name: string): string =>
  `Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, '${name}').get.call(form)`

/**
 * What an act is done to, read in our own world at the moment of the act: the control at or around an element, its form,
 * and all that pressing it may be called. A text and no function: a compiler's helpers do not exist in the page.
 */
export const DESCRIBE_TARGET = `function () {
  const CONTROL = 'a[href], area[href], button, input, select, textarea, summary, label, option, [role=button], [role=link], ' +
    '[role=menuitem], [role=option], [role=tab], [role=switch], [role=checkbox], [role=radio], [onclick], [tabindex], [draggable=true]'
  const isOne = (node, kinds) => node.nodeType === 1 && !(node instanceof HTMLFormElement) && node.matches(kinds)
  const up = (node) => node.assignedSlot || node.parentNode || node.host || null
  let element = this.nodeType === 1 ? this : this.parentElement
  for (let node = element; node; node = up(node)) {
    if (isOne(node, CONTROL)) { element = node; break }
  }
  if (!element) return null
  const control = element.localName === 'label' && element.control ? element.control : element
  const short = (text) => String(text || '').trim().replace(/\\s+/g, ' ').slice(0, 200)
  const textOf = (node) => short(node.getAttribute('aria-label') || (node.localName === 'input' ? node.value : node.innerText) || node.getAttribute('alt') || node.title)
  const form = control.form || control.closest('form')
  const isField = control.matches('input:not([type=submit]):not([type=button]):not([type=image]):not([type=reset]), textarea, select')
  const elements = form ? [...${formGet('elements')}] : []
  const submits = elements.filter((each) => each.matches('button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]'))
  const names = [textOf(element), element.innerText, element.title, element.getAttribute('name'), element.id, control === element ? '' : textOf(control)]
  for (let node = up(element); node; node = up(node)) if (isOne(node, 'a[href], button, summary, label')) names.push(textOf(node), node.innerText)
  if (isField && submits[0]) names.push(textOf(submits[0]))
  if (control.localName === 'select') for (const option of control.selectedOptions) names.push(short(option.text))
  const fields = []
  for (const each of elements.slice(0, 60)) {
    if (!each.name || each.localName === 'button' || ((each.type === 'checkbox' || each.type === 'radio') && !each.checked)) continue
    fields.push({ name: short(each.name), value: each.type === 'password' && each.value ? '••••' : String(each.value).slice(0, 200) })
  }
  const submitter = control.getAttribute('formaction') ? control.formAction : ''
  const role = control.getAttribute('role') || ({ a: 'link', button: 'button', select: 'combobox', textarea: 'textbox' })[control.localName] ||
    (control.localName === 'input' ? ({ submit: 'button', button: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio' })[control.type] || 'textbox' : control.localName)
  return { role, name: textOf(element), names: names.map(short).filter(Boolean), form: form ? { action: submitter || ${formGet('action')}, method: control.formMethod || ${formGet('method')}, fields } : null }
}`

/** The element that has the focus, within shadow trees that are open. */
export const FOCUSED = `(() => {
  let active = document.activeElement
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement
  return active
})()`

/** The element with an access key. */
export const accessKeyed = (key: string): string =>
  `document.querySelector('[accesskey~=' + CSS.escape(${JSON.stringify(key)}) + ' i]')`
