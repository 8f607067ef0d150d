import { escaped, type Html, trusted } from './html.ts'
import { Marked } from './lex.ts'

/**
 * Our own documents as HTML. Headings come `lower` levels lower than they are written, because a page has a title of its
 * own. HTML in a document is shown as text, and so are links to files of the repository, which are not served.
 */
export function markdown(source: string, lower = 1): Html {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const tag = `h${Math.min(depth + lower, 6)}`
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>\n`
      },
      html: ({ text }) => escaped(text),
      image: ({ text }) => escaped(text),
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        return isServed(href) ? `<a href="${escaped(href)}">${label}</a>` : label
      },
      table({ header, rows }) {
        const line = (cells: typeof header) =>
          this.tablerow({ text: cells.map((cell) => this.tablecell(cell)).join('') })
        // A table whose head is empty has none: what it lists needs no headings.
        const head = header.some(({ text }) => text !== '') ? `<thead>${line(header)}</thead>\n` : ''
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>
${head}<tbody>${rows.map(line).join('')}</tbody>
</table></div>\n`
      },
      tablecell({ header, tokens }) {
        const text = this.parser.parseInline(tokens)
        return header ? `<th scope="col">${text}</th>` : `<td>${text}</td>`
      },
    },
  })
  return trusted(marked.parse(source, { async: false }))
}

/** On the web, or a page of this service. */
const isServed = (target: string) => /^https?:\/\//.test(target) || /^\/(?!\/)/.test(target)
