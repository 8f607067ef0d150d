/** Secrets, in our isolated world: whose document this is, and the typing, which looks at that once more. */

/** How the typing went. `moved`: the document is in another place than it was, and nothing was typed. */
export type Filled = 'all' | 'part' | 'moved' | 'disabled' | 'no field'

/** The origin of the document, then those of the pages around it, inner before outer. No page can change what is said here. */
export const ORIGINS = '[self.origin, ...location.ancestorOrigins]'

/**
 * Types into a text field, or, with `field` being \`null\`, where the focus is: `Filled`. In one piece, so that no other
 * document can come between the look at the origins and the typing; whatever the page does meanwhile, the text goes into
 * this document. What was filled in is drawn as dots from then on.
 */
export const FILL = `function (field, origins, text, replaces, byCharacter) {
  const now = ${ORIGINS}
  if (now.length !== origins.length || now.some((origin, at) => origin !== origins[at])) return 'moved'
  const TYPES = ['text', 'search', 'url', 'tel', 'email', 'password', 'number']
  const isInput = (one) => one.localName === 'textarea' || (one.localName === 'input' && TYPES.includes(one.type))
  const takes = (one) => one && one.ownerDocument === document && (isInput(one) || one.isContentEditable)
  const focused = () => {
    let active = document.activeElement
    while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement
    return takes(active) ? active : null
  }
  const held = (one) => (isInput(one) ? one.value : one.innerText)
  const hide = (one) => one.style.setProperty('-webkit-text-security', 'disc', 'important')
  if (field) {
    if (!takes(field)) return 'no field'
    if (field.disabled || field.readOnly) return 'disabled'
    hide(field)
    field.focus()
  }
  const first = focused()
  if (!first || (field && first !== field && !field.contains(first))) return 'no field'
  if (first.disabled || first.readOnly) return 'disabled'
  hide(first)
  if (replaces) {
    if (isInput(first)) first.select()
    else getSelection().selectAllChildren(first)
  }
  const insert = (part) => {
    const active = focused()
    if (!active) return false
    hide(active)
    return document.execCommand('insertText', false, part)
  }
  const isSplit = first.maxLength === 1 && text.length > 1
  if (!byCharacter && !isSplit) insert(text)
  else {
    for (const character of text) {
      const key = { key: character, bubbles: true, composed: true, cancelable: true }
      const target = focused()
      if (!target) return 'part'
      target.dispatchEvent(new KeyboardEvent('keydown', key))
      if (!insert(character)) return 'part'
      target.dispatchEvent(new KeyboardEvent('keyup', key))
    }
  }
  // A field of many boxes goes from one to the next.
  if (isSplit || (byCharacter && focused() !== first)) return 'all'
  first.dispatchEvent(new Event('change', { bubbles: true }))
  const after = held(first)
  const bare = (some) => some.toLowerCase().replace(/[^\\p{L}\\p{N}]/gu, '')
  return after.includes(text) || (bare(text) !== '' && bare(after).includes(bare(text))) ? 'all' : 'part'
}`
