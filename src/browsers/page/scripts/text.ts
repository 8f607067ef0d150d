/**
 * The visible text of the page, main content first, with open shadow trees and frames of the same origin.
 * An expression: `{title, url, text}`.
 */
export const PAGE_TEXT = `(() => {
  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'CANVAS', 'HEAD', 'VIDEO', 'AUDIO', 'OBJECT'])
  const INLINE = /^(inline|contents|ruby)/
  let out = []
  const end = () => { if (out.length && out[out.length - 1] !== '\\n') out.push('\\n') }
  const children = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes
    if (element.localName === 'slot') {
      const assigned = element.assignedNodes()
      if (assigned.length) return assigned
    }
    return element.childNodes
  }
  const walk = (node, skip) => {
    if (node === skip) return
    if (node.nodeType === 3) {
      const text = node.data.replace(/[\\s\\u200b]+/g, ' ')
      if (text.trim() !== '') out.push(text)
      else if (text && out.length && out[out.length - 1] !== '\\n') out.push(' ')
      return
    }
    if (node.nodeType !== 1 || SKIPPED.has(node.nodeName.toUpperCase())) return
    const view = node.ownerDocument.defaultView
    const style = view ? view.getComputedStyle(node) : null
    if (style && (style.display === 'none')) return
    const hidden = style && (style.visibility === 'hidden' || style.visibility === 'collapse')
    const name = node.localName
    if (name === 'br') { out.push('\\n'); return }
    if (name === 'iframe') {
      let inner = null
      try { inner = node.contentDocument } catch {}
      if (inner && inner.body && !hidden) { end(); walk(inner.body, skip); end() }
      return
    }
    if (!hidden && (name === 'input' || name === 'textarea')) {
      const shown = ['checkbox', 'radio', 'hidden', 'password', 'file', 'image', 'submit', 'button', 'reset'].includes(node.type) ? (/submit|button|reset/.test(node.type) ? node.value : '') : node.value
      if (shown) out.push('[' + shown + ']')
      return
    }
    if (!hidden && name === 'select') {
      out.push('[' + [...node.selectedOptions].map((option) => option.label.trim()).join(', ') + ']')
      return
    }
    if (!hidden && name === 'img' && node.alt) { out.push('[image: ' + node.alt + ']'); return }
    const display = style ? style.display : 'block'
    const cell = display === 'table-cell'
    const block = !cell && !INLINE.test(display)
    if (block) end()
    if (cell && out.length && out[out.length - 1] !== '\\n') out.push(' | ')
    if (!hidden && name === 'li') out.push('- ')
    const heading = /^h[1-6]$/.test(name) && !hidden
    if (heading) out.push('#'.repeat(Number(name[1])) + ' ')
    for (const child of children(node)) {
      if (hidden && child.nodeType === 3) continue
      walk(child, skip)
    }
    if (block) end()
  }
  const textOf = (root, skip) => {
    out = []
    walk(root, skip)
    return out.join('').replace(/[ \\t]+/g, ' ').replace(/ ?\\n ?/g, '\\n').replace(/\\n{3,}/g, '\\n\\n').trim()
  }
  const body = document.body
  if (!body) return { title: document.title, url: location.href, text: '' }
  const mains = [...document.querySelectorAll('main, [role=main], article')]
    .filter((element) => !element.parentElement.closest('main, [role=main], article'))
  const main = mains.length === 1 ? mains[0] : null
  const mainText = main ? textOf(main) : ''
  const rest = textOf(body, main)
  const text = mainText && rest ? mainText + '\\n\\n[Rest of the page]\\n' + rest : mainText || rest
  return { title: document.title, url: location.href, text }
})()`
