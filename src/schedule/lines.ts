/** Where the entries of a schedule begin in its text, so that an error can name a line. */
export interface EntryLines {
  /** The line (from 1) on which entry `index` (from 0) begins; of its field when that is there. 1 when neither is. */
  lineOf(index: number, field: string | null): number
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|\n/g

/**
 * Walks JSON that is known to parse. The entries are the objects directly inside the outermost array:
 * the whole document, or the value of `jobs`.
 */
export function entryLines(json: string): EntryLines {
  const starts: number[] = []
  const fields: Map<string, number>[] = []
  const nesting: string[] = []
  let line = 1
  for (const match of json.matchAll(TOKEN)) {
    const [token] = match
    if (token === '\n') line += 1
    else if (token === '{' || token === '[') {
      nesting.push(token)
      if (token === '{' && arraysIn(nesting) === 1 && nesting.at(-2) === '[') {
        starts.push(line)
        fields.push(new Map())
      }
    } else if (token === '}' || token === ']') nesting.pop()
    else if (arraysIn(nesting) === 1 && nesting.at(-2) === '[' && isKey(json, match.index + token.length)) {
      fields.at(-1)?.set(JSON.parse(token), line)
    }
  }
  return {
    lineOf: (index, field) => (field === null ? undefined : fields[index]?.get(field)) ?? starts[index] ?? 1,
  }
}

const arraysIn = (nesting: readonly string[]): number => nesting.filter((bracket) => bracket === '[').length

/** A string is a key when a colon follows. */
const isKey = (json: string, end: number): boolean => /^\s*:/.test(json.slice(end, end + 50))

/** Where a text is not JSON, `: line 3` where the parser knows. Its own words are left out: they quote the file. */
export function parseComplaint(json: string, error: unknown): string {
  const position = /position (\d+)/.exec(String(error))?.[1]
  return position === undefined ? '' : `: line ${json.slice(0, Number(position)).split('\n').length}`
}
