/** Lists of options and controls that are set by keys, in our isolated world, with the control as \`this\`. */

/** An option of a list, in its order. */
export interface OptionShown {
  readonly label: string
  readonly value: string
  readonly isSelected: boolean
  readonly isDisabled: boolean
}

/** The options that are shown and belong to the control: remembers them for \`OPTION\`, and answers what they are. */
export const OPTIONS = `function () {
  const isShown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible'
  const root = this.getRootNode()
  const ids = ((this.getAttribute('aria-controls') || '') + ' ' + (this.getAttribute('aria-owns') || '')).split(/\\s+/).filter(Boolean)
  const named = ids.map((id) => root.getElementById(id)).filter(Boolean)
  const ITEMS = '[role=option], [role=menuitemradio], [role=treeitem]'
  // As it is drawn: through shadow trees, and what is assigned to their slots.
  const drawnIn = (element) => {
    const assigned = element.localName === 'slot' ? element.assignedElements() : []
    const children = assigned.length > 0 ? assigned : [...(element.shadowRoot || element).children]
    return children.flatMap((child) => (child.matches(ITEMS) ? [child] : drawnIn(child)))
  }
  const isIn = (list) => {
    const found = list.querySelectorAll(ITEMS)
    return found.length > 0 || !(list.shadowRoot || list.getRootNode() !== document) ? found : drawnIn(list)
  }
  // A list without a size is a copy for screen readers: the options are drawn beside it.
  const drawnFor = (list) => {
    const box = list.getBoundingClientRect ? list.getBoundingClientRect() : null
    const isCopy = box && list.parentElement && (box.width <= 1 || box.height <= 1)
    const beside = isCopy ? [...list.parentElement.querySelectorAll('[aria-selected]:not([role]), [aria-disabled]:not([role])')] : []
    return beside.length > 0 ? beside : [...isIn(list)]
  }
  const lists = this.getAttribute('role') === 'listbox' ? [this]
    : named.some((list) => isIn(list).length > 0) ? named
    // Its list is not there before it opens: what else is drawn is another one's.
    : ids.length > 0 && this.getAttribute('aria-expanded') === 'false' ? []
    : [this, this.parentElement, this.shadowRoot, root.body || root, document.body].filter(Boolean)
  let options = []
  for (const list of lists) {
    options = drawnFor(list).filter((option) => isShown(option))
    if (options.length > 0) break
  }
  const nameOf = (option) => {
    const { host } = option.getRootNode()
    const texts = [option.getAttribute('aria-label'), option.innerText, option.textContent, host && host.textContent]
    return texts.map((text) => (text || '').trim()).find((text) => text !== '') || ''
  }
  globalThis.browserTaskOptions = options
  return options.map((option) => ({
    label: nameOf(option),
    value: option.getAttribute('data-value') || option.getAttribute('value') || '',
    isSelected: option.getAttribute('aria-selected') === 'true' || (!option.hasAttribute('role') && /-selected(\\s|$)/.test(option.className)),
    isDisabled: option.getAttribute('aria-disabled') === 'true' || (!option.hasAttribute('role') && /-disabled(\\s|$)/.test(option.className)),
  }))
}`
export const optionAt = (index: number): string => `function () { return globalThis.browserTaskOptions[${index}] }`

/** Whether its list is open, and what it shows as chosen. */
export const CHOICE_STATE = `function () {
  const isOpen = this.getAttribute('aria-expanded') === 'true'
  const chosen = () => [...this.querySelectorAll('[role=option][aria-selected=true]')].map((option) => option.innerText).join(', ')
  // What is chosen may be drawn beside the field.
  const drawn = () => {
    let around = this.parentElement
    for (let up = 0; up < 3 && around && !around.matches('label') && !around.querySelector('label'); up += 1, around = around.parentElement) {
      if (around.innerText.trim()) return around.innerText
    }
    return ''
  }
  const shown = this.localName === 'input' ? this.value || drawn() : this.getAttribute('role') === 'listbox' ? chosen() : this.innerText
  return { isOpen, holds: (shown || this.getAttribute('aria-valuetext') || '').trim().replace(/\\s+/g, ' ') }
}`

/** A control of steps: where it is and between what. Numbers that it does not tell are \`null\`. */
export const STEPS_STATE = `function () {
  const number = (name) => this.hasAttribute(name) ? Number(this.getAttribute(name)) : null
  return { now: number('aria-valuenow'), min: number('aria-valuemin'), max: number('aria-valuemax') }
}`
