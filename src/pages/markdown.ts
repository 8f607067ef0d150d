import { Html, html } from './html.ts'

/**
 * The Markdown that our own documents are written in: headings, paragraphs, lists, fenced code, tables, and in a line
 * code, bold and links. Everything else is text. Links that lead nowhere from a page are written as text.
 * Headings come `lower` levels lower than they are written: a page has a title of its own.
 */
export function markdown(source: string, lower = 1): Html {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const blocks: Html[] = []
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at, lower)
    if (block) blocks.push(html`${block}\n`)
    at = next
  }
  return html`${blocks}`
}

interface Block {
  readonly block: Html | null
  readonly next: number
}
const LIST = /^(?:[-*]|\d+\.) +/
const HEADING = /^(#{1,6}) +(.*)$/

function blockAt(lines: readonly string[], at: number, lower: number): Block {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { block: null, next: at + 1 }
  if (line.startsWith('```')) return fenced(lines, at)
  const heading = HEADING.exec(line)
  if (heading) return { block: headingOf((heading[1] ?? '').length + lower, heading[2] ?? ''), next: at + 1 }
  if (line.startsWith('|')) return table(lines, at)
  if (LIST.test(line)) return list(lines, at)
  const next = endOf(lines, at, (each) => each.trim() !== '' && !startsBlock(each))
  return { block: html`<p>${inline(lines.slice(at, next).join(' '))}</p>`, next }
}
const startsBlock = (line: string) =>
  line.startsWith('```') || line.startsWith('|') || HEADING.test(line) || LIST.test(line)

/** The first line after `at` of which `belongs` is false. */
function endOf(lines: readonly string[], at: number, belongs: (line: string) => boolean): number {
  const rest = lines.slice(at + 1).findIndex((line) => !belongs(line))
  return rest < 0 ? lines.length : at + 1 + rest
}

function fenced(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => !line.startsWith('```'))
  return { block: html`<pre><code>${lines.slice(at + 1, end).join('\n')}</code></pre>`, next: end + 1 }
}

function headingOf(level: number, text: string): Html {
  const tag = new Html(`h${Math.min(level, 6)}`)
  return html`<${tag}>${inline(text)}</${tag}>`
}

function list(lines: readonly string[], at: number): Block {
  const next = endOf(lines, at, (line) => LIST.test(line) || /^ +\S/.test(line))
  const items: string[] = []
  for (const line of lines.slice(at, next)) {
    if (LIST.test(line)) items.push(line.replace(LIST, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const tag = new Html(/^\d/.test(lines[at] ?? '') ? 'ol' : 'ul')
  return { block: html`<${tag}>${items.map((item) => html`<li>${inline(item)}</li>`)}</${tag}>`, next }
}

function table(lines: readonly string[], at: number): Block {
  const next = endOf(lines, at, (line) => line.startsWith('|'))
  const [head = [], ...rows] = lines
    .slice(at, next)
    .filter((line) => !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/),
    )
  const cells = (row: readonly string[]) =>
    row.map((cell) => html`<td>${inline(cell.trim().replaceAll('\\|', '|'))}</td>`)
  return {
    block: html`<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell.trim())}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody>
</table></div>`,
    next,
  }
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])|!?\[([^\]]*)\]\(([^)\s]*)\)/g

function inline(text: string): Html {
  const parts: Html[] = []
  let done = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, stressed, label, target] = match
    parts.push(html`${text.slice(done, match.index)}`)
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${inline(bold)}</strong>`)
    else if (stressed !== undefined) parts.push(html`<em>${inline(stressed)}</em>`)
    else if (leadsSomewhere(target ?? '')) parts.push(html`<a href="${target ?? ''}">${label ?? ''}</a>`)
    else parts.push(html`${label ?? ''}`)
    done = match.index + whole.length
  }
  return html`${parts}${text.slice(done)}`
}

/** On the web or on this service: files of the repository are not served. */
const leadsSomewhere = (target: string) => /^https?:\/\//.test(target) || /^\/(?!\/)/.test(target)
