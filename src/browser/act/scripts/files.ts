/** How a file gets from the task into the page, in our isolated world, with an element as `this`. */

/** The file field that the element is, holds, is the label of, or is covered by; else \`null\`. */
export const FILE_FIELD = `function () {
  const FIELD = 'input[type=file]'
  const element = this.nodeType === 1 ? this : this.parentElement
  if (element.matches(FIELD)) return element
  const label = element.closest('label')
  if (label && label.control && label.control.matches(FIELD)) return label.control
  const inside = (element.shadowRoot || element).querySelector(FIELD)
  if (inside) return inside
  // Over a button there may be a field without any colour, which takes the click.
  const { x, y, width, height } = element.getBoundingClientRect()
  const over = element.getRootNode().elementFromPoint(x + width / 2, y + height / 2)
  return over && over.matches(FIELD) ? over : null
}`

/** What the element is for: \`drop\` when files are dropped on it, \`press\` for a button or link, else \`any\`. */
export const FILE_WAY = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  if (element.matches('button, a, input, summary, [role=button], [role=link], [role=menuitem], [role=tab]')) return 'press'
  return reader.takesDrops(element) ? 'drop' : 'any'
}`

const FILE = `(base64, name, type) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return new File([bytes], name, { type })
}`

/** Gives the field a file beside those that it holds. Answers why not, or \`null\`. */
export const GIVE_FILE = `function (base64, name, type) {
  if (this.matches(':disabled')) return 'is disabled'
  const data = new DataTransfer()
  if (this.multiple) for (const held of this.files) data.items.add(held)
  data.items.add((${FILE})(base64, name, type))
  this.files = data.files
  if (![...this.files].some((held) => held.name === name)) return 'did not take it'
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  this.dispatchEvent(new Event('change', { bubbles: true }))
  return null
}`
/** Whether the field has a file of this name. */
export const HOLDS_FILE = `function (name) { return [...this.files].some((held) => held.name === name) }`

/** Drops a file on the element. Answers whether it accepts drops. */
export const DROP_FILE = `function (base64, name, type) {
  const element = this.nodeType === 1 ? this : this.parentElement
  const data = new DataTransfer()
  data.items.add((${FILE})(base64, name, type))
  const box = element.getBoundingClientRect()
  const at = { bubbles: true, cancelable: true, composed: true, dataTransfer: data, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }
  element.dispatchEvent(new DragEvent('dragenter', at))
  const isAccepted = !element.dispatchEvent(new DragEvent('dragover', at))
  if (isAccepted) element.dispatchEvent(new DragEvent('drop', at))
  // Else the page would go on showing that something is dragged over it.
  else element.dispatchEvent(new DragEvent('dragleave', at))
  return isAccepted
}`
