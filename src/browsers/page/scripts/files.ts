/**
 * Gives a file to a file field, with the element as `this`: to the field itself, to the one inside it or of its label,
 * else by dropping it there. Answers why not, or `null`.
 */
export const SET_FILE = `function (base64, name, type) {
  const FIELD = 'input[type=file]'
  const element = this.nodeType === 1 ? this : this.parentElement
  const label = element.closest('label')
  const inside = (element.shadowRoot || element).querySelector(FIELD)
  const field = element.matches(FIELD) ? element : label && label.control && label.control.matches(FIELD) ? label.control : inside
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const data = new DataTransfer()
  const file = new File([bytes], name, { type })
  if (field) {
    if (field.matches(':disabled')) return 'is disabled'
    if (field.multiple) for (const kept of field.files) data.items.add(kept)
    data.items.add(file)
    field.files = data.files
    if (![...field.files].some((held) => held.name === name)) return 'did not take it'
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
    return null
  }
  data.items.add(file)
  const box = element.getBoundingClientRect()
  const at = { bubbles: true, cancelable: true, composed: true, dataTransfer: data, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }
  element.dispatchEvent(new DragEvent('dragenter', at))
  const takesIt = !element.dispatchEvent(new DragEvent('dragover', at))
  if (!takesIt) return 'takes no files'
  element.dispatchEvent(new DragEvent('drop', at))
  return null
}`
