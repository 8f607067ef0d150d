// biome-ignore-all lint/a11y/noRedundantRoles: a table whose layout is not one is none to screen readers
// biome-ignore-all lint/correctness/useJsxKeyInIterable: the parts of one text, which does not change
import { isStacked, lex, type Token, wordsIn } from '../lex.ts'
import { Pre, Scrolling, Words } from './ui.tsx'
import type { ComponentChildren } from './view.ts'

/**
 * Text of a page or a model as markdown. Elements are made of the parsed text one by one: HTML in it is shown as text, and
 * pictures are links, so nothing is loaded from elsewhere.
 */
export const Markdown = ({ text }: { readonly text: string }) => <div class="markdown">{blocks(lex(text))}</div>

const blocks = (tokens: readonly Token[]): ComponentChildren => tokens.map(block)

function block(token: Token): ComponentChildren {
  switch (token.type) {
    case 'heading':
      // The page has headings of its own.
      return <p class="heading">{inline(token)}</p>
    case 'paragraph':
      return <p>{inline(token)}</p>
    case 'code':
      return <Pre label="Code">{token.text}</Pre>
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>
    case 'list': {
      const items = token.items.map((item: Token) => <li>{blocks(item.tokens ?? [])}</li>)
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return table(token)
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'text':
      return token.tokens ? inline(token) : token.text
    default:
      return <p>{token.raw}</p>
  }
}

/** [P35] Roles are said, for readers that go by the layout. */
function table(token: Token): ComponentChildren {
  const { header, rows } = token
  return (
    <Scrolling label="Table">
      <table role="table" class={isStacked({ header, rows }) ? 'stacked' : undefined}>
        <thead role="rowgroup">
          <tr role="row">
            {header.map((cell: Token) => (
              <th role="columnheader" scope="col" class={alignOf(cell)}>
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row: Token[]) => (
            <tr role="row">
              {row.map((cell, column) => (
                <td role="cell" data-label={wordsIn(header[column])} class={alignOf(cell)}>
                  {inline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}

/** A style of its own is not allowed on these pages. */
const alignOf = ({ align }: Token): string | undefined => (align ? `to-${align}` : undefined)

const inline = ({ tokens = [] }: Token): ComponentChildren => tokens.map(span)

function span(token: Token): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token)}</strong>
    case 'em':
      return <em>{inline(token)}</em>
    case 'del':
      return <del>{inline(token)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return isWeb(token.href) ? (
        <a href={token.href} rel="noreferrer noopener nofollow" target="_blank">
          {inline(token)}
        </a>
      ) : (
        inline(token)
      )
    case 'image':
      return `${token.text || 'Picture'}: ${token.href}`
    case 'escape':
    case 'text':
      return token.tokens ? inline(token) : <Words text={token.text} />
    default:
      return token.raw
  }
}

const isWeb = (href: string): boolean => /^https?:\/\//i.test(href)
