import { HELD_SHAPE_CHARS_MAX } from '../../wire/limits.ts'
import { jsonOf } from './fields.ts'
import type { PausedRequest } from './paused.ts'

const ID = /^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[\w-]{16,}|\d[\w.-]*)$/i

/** The name that stands for all requests of this kind: `POST https://shop.example/orders/*`, of GraphQL with its operations. */
export function shapeOf(request: Pick<PausedRequest, 'url' | 'method' | 'body'>): string {
  const { origin, pathname } = new URL(request.url)
  const path = pathname
    .split('/')
    .map((segment) => (ID.test(segment) ? '*' : segment))
    .join('/')
  const names = (graphqlOf(request) ?? []).map(({ name }) => name).join(', ')
  return `${request.method} ${origin}${path}${names === '' ? '' : ` (${names})`}`.slice(0, HELD_SHAPE_CHARS_MAX)
}

interface Operation {
  readonly name: string
  readonly isRead: boolean
}

/** The operations of a GraphQL request; `null` for any other. */
export function graphqlOf({ url, body }: Pick<PausedRequest, 'url' | 'body'>): readonly Operation[] | null {
  const given = jsonOf(body)
  const all = (Array.isArray(given) ? given : [given]) as { query?: unknown; operationName?: unknown }[]
  if (all.length === 0 || !all.every((each) => typeof each?.query === 'string')) return null
  if (!/graph|gql|\bapi\b|query/i.test(new URL(url).pathname)) return null
  const operations = all.map(({ query, operationName }) => {
    const kinds = definitionsOf(String(query))
    const name = typeof operationName === 'string' ? operationName : (kinds[0]?.name ?? '')
    return { name: name.slice(0, 100), isRead: kinds.length > 0 && kinds.every(({ kind }) => kind !== 'mutation') }
  })
  return operations
}

/** What is defined at the top of a GraphQL document; an empty list for what is none. */
function definitionsOf(document: string): { kind: string; name: string }[] {
  const bare = document.replaceAll(/"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#[^\n\r]*/g, ' ')
  const found: { kind: string; name: string }[] = []
  let depth = 0
  let head = ''
  for (const char of bare) {
    if (char === '{' || char === '(') {
      if (depth === 0 && char === '{') {
        const [, kind = '', name = ''] = /^\s*(\w*)\s*(\w*)/.exec(head) ?? []
        if (!['', 'query', 'mutation', 'subscription', 'fragment'].includes(kind)) return []
        found.push({ kind: kind === '' ? 'query' : kind, name })
        head = ''
      }
      depth += 1
    } else if (char === '}' || char === ')') depth -= 1
    else if (depth === 0) head += char
  }
  return depth === 0 ? found.filter(({ kind }) => kind !== 'fragment') : []
}
