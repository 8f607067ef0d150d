import { hasArea, isOffCanvas, measure, type Place, placeInside, viewport } from './boxes.ts'
import {
  childrenOf,
  collapse,
  DEPTH_MAX,
  deepText,
  isNeverDrawn,
  maySuspect,
  shownType,
  titleAndUrl,
  withoutIcons,
  withoutLineEnds,
} from './dom.ts'
import { frameOf, setSuspects } from './new-lines.ts'
import { pseudoText } from './pseudo.ts'
import * as raw from './raw.ts'
import { isFar, isLongList } from './stub.ts'
import type { TextResult } from './types.ts'

const MAIN = 'main, [role=main], article'
/** More text than this is no longer read. */
const CHARS_MAX = 3_000_000
const MARK = '- '
const FIELDS = 'input, select, textarea, iframe'
const PSEUDO_ELEMENTS_MAX = 4_000

/** The visible text of the document, main content first, with shadow trees, and marks where frames are. */
export function pageText(): TextResult {
  const suspects: Element[] = []
  // A drawing has no body, and a page may draw its document anew without one.
  const root: Element | null = raw.page('documentElement')
  measure()
  const mains = [...raw.page('querySelectorAll')(MAIN)].filter((element) => !raw.parentElement(element)?.closest(MAIN))
  const main = mains.length === 1 ? (mains[0] ?? null) : null
  const first = main ? textIn(main, null, suspects) : []
  const rest = root ? textIn(root, main, suspects) : []
  const parts =
    first.length > 0 && rest.length > 0 ? [...first, '\n\n[Rest of the page]\n', ...rest] : [...first, ...rest]
  setSuspects(suspects)
  return { ...titleAndUrl(), parts, suspects: suspects.length, contentType: shownType() }
}

function textIn(root: Element, skipped: Element | null, suspects: Element[]): (string | number)[] {
  const parts: (string | number)[] = []
  let out: string[] = []
  let chars = 0
  let count = 0
  let depth = 0
  const flush = () => {
    const text = withoutLineEnds(out.join('')).replace(/\n{3,}/g, '\n\n')
    if (text.trim() !== '') parts.push(text)
    out = []
  }
  const end = () => {
    const last = out.at(-1)
    // What a list item begins with stays with its mark.
    if (last !== undefined && !last.endsWith('\n') && last !== MARK) out.push('\n')
  }
  const push = (text: string) => {
    chars += text.length
    if (text !== '') out.push(text)
  }
  const visit = (element: Element, place: Place) => {
    if (element === skipped || isNeverDrawn(element) || chars > CHARS_MAX) return
    const style = getComputedStyle(element)
    if (style.display === 'none') return
    count += 1
    const rect = style.display === 'contents' ? null : raw.getBoundingClientRect(element)
    const within = style.position === 'fixed' ? { ...place, clip: viewport(), isClipped: false } : place
    const isShown =
      style.visibility === 'visible' &&
      !within.isClipped &&
      !(rect && !place.isScrolled && hasArea(rect) && isOffCanvas(rect))
    const name = raw.localName(element)
    if (name === 'br') return push('\n')
    if (name === 'iframe' || name === 'frame') {
      const frame = frameOf(element)
      if (frame !== undefined && isShown && rect && hasArea(rect)) {
        flush()
        parts.push(frame)
      }
      return
    }
    if (isShown && /^(input|textarea|select)$/.test(name)) return field(element)
    if (isShown && name === 'img') {
      const alt = collapse(raw.getAttribute(element, 'alt') ?? '')
      if (alt) push(`[image: ${alt}]`)
      return
    }
    if (name === 'svg') {
      const label = raw.getAttribute(element, 'aria-label')
      if (label) push(`[image: ${collapse(label)}]`)
    }
    const isCell = style.display === 'table-cell'
    const isBlock = !isCell && !/^(inline|contents|ruby)/.test(style.display)
    if (isBlock) end()
    if (isCell && element.previousElementSibling) push(' | ')
    if (isShown && name === 'li') push(MARK)
    if (isShown && /^h[1-6]$/.test(name)) push(`${'#'.repeat(Number(name[1]))} `)
    const isKept = style.whiteSpace.startsWith('pre') || style.whiteSpace === 'break-spaces'
    const hasPseudo = isShown && count < PSEUDO_ELEMENTS_MAX
    if (hasPseudo) push(pseudoText(element, '::before'))
    const inner = placeInside(within, element, style, rect)
    const before = out.length
    if (style.contentVisibility !== 'hidden') {
      const children =
        element instanceof HTMLDetailsElement && !element.open
          ? [...raw.children(element)].filter((child) => raw.localName(child) === 'summary')
          : childrenOf(element)
      const isLong = isLongList(element)
      depth += 1
      for (const child of children) {
        if (child instanceof Element && depth > DEPTH_MAX) push(withoutIcons(deepText(child)))
        else if (child instanceof HTMLElement && isLong && isFar(child) && !raw.querySelector(child, FIELDS)) far(child)
        else if (child instanceof Element) visit(child, inner)
        else if (child.nodeType === Node.TEXT_NODE && isShown && !inner.isClipped) text((child as Text).data, isKept)
      }
      depth -= 1
    }
    if (
      maySuspect(
        element,
        isShown && rect !== null && hasArea(rect),
        out.length > before || raw.childElementCount(element) > 0,
      )
    )
      suspects.push(element)
    if (hasPseudo) push(pseudoText(element, '::after'))
    if (isBlock) end()
  }
  /** The browser's own text of what is far away in a long list: it is much faster. */
  const far = (element: HTMLElement) => {
    end()
    // biome-ignore lint/performance/useDomNodeTextContent: only what is drawn
    push(`${raw.localName(element) === 'li' ? MARK : ''}${withoutIcons(element.innerText).replaceAll('\t', ' | ')}\n`)
  }
  const text = (data: string, isKept: boolean) => {
    const said = withoutIcons(data)
    if (isKept) push(said)
    else {
      const collapsed = said.replace(/[ \t\r\n\f\u200b]+/g, ' ')
      const last = out.at(-1) ?? '\n'
      push(/[\s]$/.test(last) ? collapsed.trimStart() : collapsed)
    }
  }
  const field = (element: Element) => {
    if (element instanceof HTMLSelectElement) {
      push(`[${[...element.selectedOptions].map((option) => collapse(option.label)).join(', ')}]`)
    } else if (element instanceof HTMLTextAreaElement) {
      if (element.value) push(`[${element.value}]`)
    } else if (
      element instanceof HTMLInputElement &&
      !/^(checkbox|radio|hidden|password|file|image)$/.test(element.type)
    ) {
      if (element.value) push(`[${element.value}]`)
    }
  }
  visit(root, { clip: viewport(), isClipped: false, isFaded: false, isScrolled: false })
  flush()
  return parts
}
