/** What has a sentence; it is shown when it is pointed at, focused or tapped. */
const EXPLAINED = '[data-sentence]'
const GAP_PX = 6

/**
 * Shows the sentence of whatever has one, beside it: one box for the whole page. It stays while it is pointed at itself,
 * and Escape closes it.
 */
export function explain(page: Element): void {
  const box = document.createElement('div')
  box.id = 'explanation'
  box.role = 'tooltip'
  box.hidden = true
  page.after(box)
  let shown: Element | null = null

  const hide = () => {
    shown?.removeAttribute('aria-describedby')
    shown = null
    box.hidden = true
  }
  const place = () => {
    if (shown === null) return
    if (!shown.isConnected) return hide()
    const { left, top, bottom, width } = shown.getBoundingClientRect()
    const { innerWidth, innerHeight } = window
    const { offsetWidth, offsetHeight } = box
    const isRoomBelow = bottom + GAP_PX + offsetHeight <= innerHeight
    const x = Math.min(Math.max(GAP_PX, left + (width - offsetWidth) / 2), innerWidth - offsetWidth - GAP_PX)
    box.style.left = `${Math.max(0, x)}px`
    box.style.top = `${Math.max(0, isRoomBelow ? bottom + GAP_PX : top - GAP_PX - offsetHeight)}px`
  }
  const show = (target: EventTarget | null) => {
    const found = target instanceof Element ? target.closest(EXPLAINED) : null
    if (found === shown || found === null) return
    hide()
    shown = found
    box.textContent = found.getAttribute('data-sentence')
    box.hidden = false
    found.setAttribute('aria-describedby', box.id)
    place()
  }
  const isInside = (target: EventTarget | null) =>
    target instanceof Node && (box.contains(target) || shown?.contains(target) === true)

  document.addEventListener('pointerover', ({ target }) => show(target))
  document.addEventListener('focusin', ({ target }) => show(target))
  document.addEventListener('pointerout', ({ pointerType, relatedTarget }) => {
    // A finger that is lifted points at nothing any more: what it tapped stays explained until it taps elsewhere.
    if (pointerType === 'mouse' && !isInside(relatedTarget) && !isInside(document.activeElement)) hide()
  })
  document.addEventListener('pointerdown', ({ target }) => isInside(target) || hide())
  document.addEventListener('focusout', ({ relatedTarget }) => isInside(relatedTarget) || hide())
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide())
  // Its box may have been scrolled, or drawn anew.
  document.addEventListener('scroll', place, { capture: true, passive: true })
}
