import { withoutIcons } from './dom.ts'

/**
 * What a style sheet writes before or after an element: its alternative text where it has one, else the text. A picture
 * says nothing by its address.
 */
export function pseudoText(element: Element, which: '::before' | '::after'): string {
  const { content } = getComputedStyle(element, which)
  if (content === 'none' || content === 'normal' || !content.includes('"')) return ''
  const { text, alternative } = partsOf(content)
  return withoutIcons(alternative.trim() === '' ? text : alternative)
}

/** A string; a function with all that is in it; the slash before the alternative text. */
const TOKENS = /"((?:[^"\\]|\\.)*)"|([\w-]+\()|(\))|(\/)/gs

/** The texts of a computed `content`, without those that are arguments: of `url()`, `counters()`, `image-set()`. */
function partsOf(content: string): { text: string; alternative: string } {
  const said = { text: '', alternative: '' }
  let depth = 0
  let part: keyof typeof said = 'text'
  for (const [, string, opens, closes, slash] of content.matchAll(TOKENS)) {
    if (opens) depth += 1
    else if (closes) depth -= 1
    else if (depth === 0 && slash) part = 'alternative'
    else if (depth === 0 && string !== undefined) said[part] += string.replace(/\\(.)/gs, '$1')
  }
  return said
}
