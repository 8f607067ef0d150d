import { areAlternatives, codeBox, type Snippet } from './code-box.ts'
import { escaped, type Html, trusted } from './html.ts'
import { isStacked, Marked, type Token, wordsIn } from './lex.ts'

export interface MarkdownOptions {
  /** Headings come so many levels lower than they are written, because a page has a title of its own. */
  readonly lower?: number
  /** Where a link to a file of the repository leads; `null`: it is not served, and the link is text. */
  readonly linkTo?: (target: string) => string | null
}

/** Ids that every page has. */
const TAKEN = ['content', 'q']

/** Our own documents as HTML. HTML in a document is shown as text, and so are links and pictures that are not served. */
export function markdown(source: string, { lower = 1, linkTo = () => null }: MarkdownOptions = {}): Html {
  const idOf = headingIds()
  const marked = new Marked({
    extensions: [{ name: 'snippets', renderer: ({ snippets }) => `${codeBox(snippets).text}\n` }],
    renderer: {
      code: (token) => `${codeBox([snippetOf(token)]).text}\n`,
      heading({ tokens, depth, text }) {
        const tag = `h${Math.min(depth + lower, 6)}`
        return `<${tag} id="${idOf(text)}">${this.parser.parseInline(tokens)}</${tag}>\n`
      },
      html: ({ text }) => escaped(text),
      image({ href, text }) {
        const served = linkTo(href)
        return served === null ? escaped(text) : `<img src="${escaped(served)}" alt="${escaped(text)}" loading="lazy">`
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        const served = isServed(href) ? href : linkTo(href)
        return served === null ? label : `<a href="${escaped(served)}">${label}</a>`
      },
      table(token) {
        const { header, rows } = token
        const wordsOf = ({ tokens }: (typeof header)[number]) => this.parser.parseInline(tokens)
        // A head without words is no heading of anything.
        const heads = header.map((cell) =>
          cell.text === '' ? '<td></td>' : `<th role="columnheader" scope="col">${wordsOf(cell)}</th>`,
        )
        const line = (cells: typeof header) =>
          cells
            .map(
              (cell, column) =>
                `<td role="cell" data-label="${escaped(wordsIn(header[column]))}">${wordsOf(cell)}</td>`,
            )
            .join('')
        // A table whose head is empty has none: what it lists needs no headings.
        const head = header.some(({ text }) => text !== '')
          ? `<thead role="rowgroup"><tr role="row">${heads.join('')}</tr></thead>\n`
          : ''
        const body = rows.map((row) => `<tr role="row">${line(row)}</tr>\n`).join('')
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table role="table"${isStacked(token) ? ' class="stacked"' : ''}>
${head}<tbody role="rowgroup">${body}</tbody>
</table></div>\n`
      },
    },
  })
  return trusted(marked.parser(withAlternatives(marked.lexer(source) as Token[])))
}

/** Of ```` ```ts start.ts ````: the language and the name of the file. Other words are for those who run the code. */
function snippetOf({ lang = '', text }: { readonly lang?: string | undefined; readonly text: string }): Snippet {
  const [language = '', title] = lang.split(' ')
  return { language, text, ...(title?.includes('.') ? { title } : {}) }
}

/** Code that follows on code in another language says the same: both are one box. */
function withAlternatives(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  let run: Token[] = []
  const end = () => {
    const snippets = run.map((token) => snippetOf(token as Token & { text: string }))
    if (run.length > 1) result.push({ type: 'snippets', raw: '', snippets } as Token)
    else result.push(...run)
    run = []
  }
  for (const token of tokens) {
    if (token.type === 'space' && run.length > 0) continue
    if (
      token.type !== 'code' ||
      !areAlternatives([...run, token].map((each) => snippetOf(each as Token & { text: string })))
    )
      end()
    if (token.type === 'code') run.push(token)
    else result.push(token)
  }
  end()
  return result
}

/** The id of a heading, as the repository's own links name it: `Quick start` is `quick-start`, a second one `quick-start-1`. */
export function headingIds(): (heading: string) => string {
  const used = new Map(TAKEN.map((id) => [id, 1]))
  return (heading) => {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const times = used.get(id) ?? 0
    used.set(id, times + 1)
    return times === 0 ? id : `${id}-${times}`
  }
}

/** On the web, a page of this service, or a part of this page. */
const isServed = (target: string) => /^https?:\/\//.test(target) || /^\/(?!\/)/.test(target) || /^#[\w-]+$/.test(target)
