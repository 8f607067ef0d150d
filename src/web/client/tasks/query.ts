/** What is looked for; empty texts: anything. */
export interface Query {
  readonly q: string
  readonly status: string
  /** The id of a paired browser. */
  readonly browser: string
  /** `key=value`. */
  readonly metadata: string
}

/** As a status that is looked for: running tasks that need an answer. */
export const WAITING = 'waiting'
export const FIELDS = ['q', 'status', 'browser', 'metadata'] as const

export const NO_QUERY: Query = { q: '', status: '', browser: '', metadata: '' }

/** The query that the page's address names. */
export function queryOfAddress(): Query {
  const asked = new URLSearchParams(location.search)
  const [q = '', status = '', browser = '', metadata = ''] = FIELDS.map((name) => asked.get(name) ?? '')
  return { q, status, browser, metadata }
}
