/**
 * Functions that run in the page with an element as `this`. They are texts, not functions, because a compiler's
 * helpers do not exist in the page.
 */

/** Whether the element is still in its document. */
export const IS_CONNECTED = 'function () { return this.isConnected }'

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
  const label = this.closest && this.closest('label')
  if (label) for (let node = hit; node; node = up(node)) if (node === label) return true
  return false
}`

/** Focuses the element or the first field inside it; answers whether something has the focus then. */
export const FOCUS = `function () {
  const field = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]'
  const root = this.shadowRoot || this
  const target = this.matches(field) ? this : (root.querySelector(field) || this)
  target.focus()
  let active = document.activeElement
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement
  if (active === target && typeof target.setSelectionRange === 'function') {
    try { target.setSelectionRange(target.value.length, target.value.length) } catch {}
  }
  return target.ownerDocument.hasFocus() && (target.getRootNode().activeElement === target || active === target)
}`

/** Whether typing goes somewhere: the focus is in a field, an editable region, a frame or a widget. */
export const HAS_FOCUSED_FIELD = `(() => {
  let active = document.activeElement
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement
  return !!active && active !== document.body && active !== document.documentElement
})()`

/** Where the page is scrolled to, and how far it can be. */
export const SCROLL_POSITION = `(() => {
  const page = document.scrollingElement || document.documentElement
  return { x: Math.round(page.scrollLeft), y: Math.round(page.scrollTop),
    right: Math.max(0, page.scrollWidth - page.clientWidth), bottom: Math.max(0, page.scrollHeight - page.clientHeight) }
})()`

/** The image whose map an area belongs to; 'null' when this is no area. */
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
