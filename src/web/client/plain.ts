/**
 * The words of a markdown text in one line, without its marks: for a row of a list, where a whole parser of markdown would
 * be most of what the page loads.
 */
export const plainOf = (text: string): string =>
  text
    .split('\n')
    .map(lineOf)
    .join(' ')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`)([^*_~`]+)\1/g, '$2')
    .replace(/(?<!\w)([*_])([^*_\s][^*_]*)\1(?!\w)/g, '$2')
    .replace(/\\([\\`*_{}[\]()#+\-.!|])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/;$/, '')

const RULE = /^\s*(?:```.*|~~~.*|(?:[-*_]\s*){3,}|\|?[\s:|-]*-[\s:|-]*)$/
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/

/** A line without what begins and divides it; rows of a table and items of a list end with a semicolon. */
function lineOf(line: string): string {
  if (RULE.test(line)) return ''
  const row = line.trim()
  if (row.startsWith('|')) {
    const cells = row.slice(1, row.endsWith('|') ? -1 : undefined).split('|')
    return `${cells.map((cell) => cell.trim()).join(', ')};`
  }
  return ITEM.test(line) ? `${line.replace(ITEM, '')};` : line.replace(/^\s*(?:#{1,6}\s|>\s?)/, '')
}
