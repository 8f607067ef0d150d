/**
 * Remembers what can scroll at a point of the viewport, from the inside out, and answers where each is scrolled to:
 * `[{name, x, y, right, bottom}]`; the last is the page itself, without a name. Arguments: x, y.
 */
export const SCROLLABLES_AT = `((x, y) => {
  const boxes = []
  const collect = (root, x, y) => {
    let element = root.elementFromPoint(x, y)
    for (let inner = element; inner && inner.shadowRoot; ) {
      inner = inner.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === element) break
      element = inner
    }
    if (element && element.localName === 'iframe') {
      try {
        const box = element.getBoundingClientRect()
        if (element.contentDocument) collect(element.contentDocument, x - box.x - element.clientLeft, y - box.y - element.clientTop)
      } catch {}
    }
    const page = root.scrollingElement || root.documentElement
    for (let node = element; node; node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null)) {
      if (node === page || node === root.body || node === root.documentElement) continue
      const style = getComputedStyle(node)
      const scrolls = (value) => value === 'auto' || value === 'scroll' || value === 'overlay'
      if ((scrolls(style.overflowY) && node.scrollHeight > node.clientHeight + 1) || (scrolls(style.overflowX) && node.scrollWidth > node.clientWidth + 1)) boxes.push(node)
    }
    if (page) boxes.push(page)
  }
  collect(document, x, y)
  globalThis.browserTaskScrollables = boxes
  return boxes.length
})`

/** Where the remembered ones are scrolled to now. */
export const SCROLL_POSITIONS = `(globalThis.browserTaskScrollables || []).map((box) => {
  const isPage = box === (document.scrollingElement || document.documentElement)
  const role = box.getAttribute('role') || box.localName
  const label = box.getAttribute('aria-label') || box.id || ''
  return { name: isPage ? '' : '<' + role + '>' + (label ? ' ' + JSON.stringify(label.slice(0, 60)) : ''),
    x: Math.round(Math.abs(box.scrollLeft)), y: Math.round(box.scrollTop),
    right: Math.max(0, box.scrollWidth - box.clientWidth), bottom: Math.max(0, box.scrollHeight - box.clientHeight) }
})`
