/**
 * Functions that run in the page with an element as `this`. They are texts, not functions, because a compiler's
 * helpers do not exist in the page.
 */

import { DOTS } from '../../read/password-dots.ts'

/** Whether the element is still in its document. */
export const IS_CONNECTED = 'function () { return this.isConnected }'

/** Why the element takes no action: `gone`, `disabled`, or an empty text when it takes one. */
export const STATE = `function () {
  if (!this.isConnected) return 'gone'
  const element = this.nodeType === 1 ? this : this.parentElement
  if (!element) return ''
  if (element.matches(':disabled') || element.closest('[aria-disabled=true]')) return 'disabled'
  return element.closest('[inert]') ? 'inert' : ''
}`

/** Away from the edges of the window, where bars may cover it. */
export const TO_THE_MIDDLE = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  if (element) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
}`

/** What is drawn in the place of a field that is not: its label, or the widget around it; else \`null\`. */
export const SHOWN_FOR = `function () {
  if (!this.matches || !this.matches('input, textarea, select')) return null
  const isDrawn = (element) => {
    const box = element.getBoundingClientRect()
    return box.width >= 2 && box.height >= 2 && !reader.isOffCanvas(box)
  }
  if (isDrawn(this)) return null
  const label = [...(this.labels || [])].find((label) => isDrawn(label))
  if (label && this.getClientRects().length === 0) return label
  const type = this.type
  if (type === 'checkbox' || type === 'radio' || type === 'file') return label || null
  let around = this.parentElement
  for (let up = 0; up < 3 && around && around !== document.body; up += 1, around = around.parentElement) {
    if (isDrawn(around)) return around
  }
  return label || null
}`

/** The middle of an \`area\`, from the corner of its image; \`null\` for any other element. */
export const AREA_CENTRE = `function () {
  if (this.localName !== 'area') return null
  const numbers = (this.getAttribute('coords') || '').split(/[\\s,]+/).map(Number).filter((number) => !Number.isNaN(number))
  if (this.shape === 'circle') return { x: numbers[0], y: numbers[1] }
  const xs = numbers.filter((_, at) => at % 2 === 0)
  const ys = numbers.filter((_, at) => at % 2 === 1)
  if (xs.length === 0 || ys.length === 0) return null
  return { x: xs.reduce((sum, x) => sum + x, 0) / xs.length, y: ys.reduce((sum, y) => sum + y, 0) / ys.length }
}`

/** The image that an \`area\` belongs to. */
export const AREA_IMAGE = `function () {
  const map = this.closest('map')
  return map ? this.ownerDocument.querySelector('img[usemap="#' + CSS.escape(map.name) + '"]') : null
}`

/** How the element is called: `button "Buy"`. */
export const DESCRIBE = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  if (!element) return 'the page'
  const role = element.getAttribute('role') || element.tagName.toLowerCase()
  const text = element.getAttribute('aria-label') || element.innerText || element.getAttribute('alt') || element.title || ''
  const short = text.trim().replace(/\\s+/g, ' ').slice(0, 60)
  return '<' + role + '>' + (short ? ' ' + JSON.stringify(short) : '')
}`

/** Whether a click on \`hit\` is a click on this element: it is the same, inside it, its label, or it lets clicks through. */
export const TAKES_CLICK_ON = `function (hit) {
  const up = (node) => node.assignedSlot || node.parentNode || node.host || null
  for (let node = hit; node; node = up(node)) {
    if (node === this) return true
    if (node.nodeName === 'LABEL' && node.control === this) return true
  }
  if (getComputedStyle(this).pointerEvents === 'none') {
    for (let node = this; node; node = up(node)) if (node === hit) return true
  }
  // Over a field its widget draws the placeholder, or what is chosen: a click there is one on the field.
  const FIELDS = 'input:not([type=hidden]), textarea, select, [contenteditable]'
  if (this.matches && this.matches(FIELDS + ', [role=combobox]') && hit.nodeType === 1 && !hit.closest('a[href], button, [role=button], [role=option]')) {
    const over = hit.getBoundingClientRect()
    let around = this.parentElement
    for (let level = 0; level < 4 && around && around.querySelectorAll(FIELDS).length <= 1; level += 1) {
      const box = around.getBoundingClientRect()
      const isInside = over.left >= box.left - 1 && over.right <= box.right + 1 && over.top >= box.top - 1 && over.bottom <= box.bottom + 1
      if (isInside && around.contains(hit) && hit.textContent.trim()) return box.height <= 100
      around = around.parentElement
    }
  }
  // In a drawing a text on a shape is the shape's label, where both are in a group that is no larger than the shape.
  const group = hit.parentElement
  if (this.ownerSVGElement && group && group.localName === 'g' && group.contains(this)) {
    const [around, shape] = [group.getBoundingClientRect(), hit.getBoundingClientRect()]
    if (around.width * around.height <= 2 * shape.width * shape.height) return true
  }
  const label = this.closest && this.closest('label')
  if (label) for (let node = hit; node; node = up(node)) if (node === label) return true
  return false
}`

/**
 * Focuses the element or the first field inside it, with the caret at its end; answers whether something has the focus
 * then. `keepsCaret`: where it has the focus already, its caret stays where it is.
 */
export const FOCUS = `function (keepsCaret) {
  const field = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]'
  const root = this.shadowRoot || this
  const target = this.matches(field) ? this : (root.querySelector(field) || this)
  if (keepsCaret && target.ownerDocument.hasFocus() && target.getRootNode().activeElement === target) return true
  target.focus()
  let active = document.activeElement
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement
  if (active === target && typeof target.setSelectionRange === 'function') {
    try { target.setSelectionRange(target.value.length, target.value.length) } catch {}
  }
  return target.ownerDocument.hasFocus() && (target.getRootNode().activeElement === target || active === target)
}`

/**
 * Focuses the element, the first field inside it, or else what is nearest to it and can have the focus: what it labels,
 * what is in it, then what it is in. Answers what has the focus then: an empty text where it is the element or a field of
 * it, `null` where nothing has.
 */
export const FOCUS_NEAREST = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  if (!element) return null
  if ((${FOCUS}).call(element, true)) return ''
  const page = element.ownerDocument
  const takesFocus = (each) => {
    each.focus()
    return page.hasFocus() && each.getRootNode().activeElement === each
  }
  const up = (node) => node.assignedSlot || node.parentElement || node.getRootNode().host || null
  const label = element.closest('label')
  const inside = [...(element.shadowRoot || element).querySelectorAll('a[href], button, summary, [tabindex]')].slice(0, 20)
  const around = []
  for (let at = up(element); at && at !== page.body && at !== page.documentElement; at = up(at)) around.push(at)
  const taken = [...(label && label.control ? [label.control] : []), ...inside, ...around].find((each) => takesFocus(each))
  return taken ? (${DESCRIBE}).call(taken) : null
}`

/** The field that has the focus: `{kind, value, disabled}`. A frame that has it answers for its own document. */
export const FOCUSED_FIELD = `(() => {
  const NONE = { kind: 'none', value: null, disabled: false }
  const inside = (root) => {
    const active = root.activeElement
    if (!active) return null
    if (active.shadowRoot && active.shadowRoot.activeElement) return inside(active.shadowRoot)
    if (active.localName === 'iframe' || active.localName === 'frame') {
      try { return inside(active.contentDocument) || active } catch { return active }
    }
    return active
  }
  const active = inside(document)
  if (!active) return NONE
  const page = active.ownerDocument
  const code = active.closest('.CodeMirror')
  if (code) {
    const lines = [...code.querySelectorAll('.CodeMirror-line')].map((line) => line.textContent.replace(/\\u200b/g, ''))
    return { kind: 'lines', value: lines.join('\\n'), disabled: false }
  }
  if (active.editContext) return { kind: 'lines', value: null, disabled: false }
  if (page.designMode === 'on' || active.isContentEditable) {
    return { kind: 'region', value: (active.innerText || '').replace(/\\n$/, ''), disabled: false }
  }
  if (active === page.body || active === page.documentElement) return NONE
  if (active.localName === 'textarea') {
    const hidden = active.offsetWidth < 4 || active.offsetHeight < 4
    return { kind: 'lines', value: hidden ? null : active.value, disabled: active.readOnly && !hidden }
  }
  if (active.localName === 'input') {
    if (/^(checkbox|radio|button|submit|reset|image|file|range|color)$/.test(active.type)) return { kind: 'other', value: null, disabled: false }
    const value = active.type === 'password' && active.value !== '' ? '${DOTS}' : active.value
    return { kind: 'line', value, isPassword: active.type === 'password', disabled: active.readOnly && !active.matches('[role=combobox], [aria-haspopup]') }
  }
  return { kind: 'other', value: null, disabled: false }
})()`

/** All the text that is shown, with what fields hold. */
export const SHOWN_TEXT = `(() => {
  const texts = []
  const read = (root) => {
    if (!root) return
    texts.push(root.body ? root.body.innerText : root.textContent)
    for (const field of root.querySelectorAll('input:not([type=password]), textarea')) if (field.offsetParent) texts.push(field.value)
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) read(element.shadowRoot)
      if (element.localName === 'iframe') { try { read(element.contentDocument) } catch {} }
    }
  }
  read(document)
  return texts.join('\\n')
})()`

/** Where the page is scrolled to, and how far it can be. */
export const SCROLL_POSITION = `(() => {
  const page = document.scrollingElement || document.documentElement
  return { x: Math.round(page.scrollLeft), y: Math.round(page.scrollTop),
    right: Math.max(0, page.scrollWidth - page.clientWidth), bottom: Math.max(0, page.scrollHeight - page.clientHeight) }
})()`

/** The image whose map an area belongs to; `null` if this is not an area. */
export const IMAGE_OF_AREA = `function () {
  const map = this.localName === 'area' ? this.closest('map') : null
  return map && document.querySelector('img[usemap="#' + CSS.escape(map.name || map.id) + '"]')
}`

/** Where an area is in its image: [left, top, right, bottom] in CSS pixels, the middle of it for shapes that are not boxes. */
export const AREA_IN_IMAGE = `function () {
  if (this.localName !== 'area') return null
  const numbers = this.coords.split(',').map(Number)
  if (this.shape === 'circle') {
    const [x, y, radius] = numbers
    return [x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2]
  }
  const xs = numbers.filter((_, at) => at % 2 === 0)
  const ys = numbers.filter((_, at) => at % 2 === 1)
  return numbers.length < 4 ? null : [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}`
