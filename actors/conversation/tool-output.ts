import { OUTPUT_CHARS_MAX } from '../../machines/limits.ts'
import type { CallResult } from '../../machines/records.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { pageContent } from './page-content.ts'

/** [T39] Output as text: a string as it is, nothing as nothing, all else as JSON; at most OUTPUT_CHARS_MAX. */
export function outputText(output: unknown): string {
  if (output === null || output === undefined) return ''
  if (typeof output === 'string') return cut(output)
  // Of a longer text within it no more could be left at the end: making the JSON of 16 MB would keep everybody waiting.
  const json = JSON.stringify(output, (_, value) => (typeof value === 'string' ? cut(value) : value))
  return cut(json ?? '')
}

/** Its beginning, copied: a slice would keep the whole text in memory. */
const cut = (text: string): string =>
  text.length <= OUTPUT_CHARS_MAX ? text : Buffer.from(text.slice(0, OUTPUT_CHARS_MAX), 'utf16le').toString('utf16le')

/** What the model reads of an outcome. */
export function textForModel(outcome: CallResult, note: string | null): string {
  const said = wordsOf(outcome)
  return note === null ? said : `${said}\n\n${note}`
}

/**
 * The tool's own words as they are, the page's marked: a browser that does not tell them apart has all of its output
 * marked.
 */
function wordsOf(outcome: CallResult): string {
  if (outcome.status === 'unknown') return TO_MODEL.unknown
  if (outcome.status === 'skipped') return outcome.message
  const content = outcome.content ? pageContent(cut(outcome.content)) : ''
  if (outcome.status === 'failed') {
    const message = outcome.quotes ? `\n${pageContent(cut(outcome.message))}` : outcome.message
    return [TO_MODEL.error(message), content].filter(Boolean).join('\n')
  }
  if (outcome.said !== undefined) {
    return [cut(outcome.said), content].filter(Boolean).join('\n') || TO_MODEL.emptyOutput
  }
  const output = outputText(outcome.output)
  return output === '' ? TO_MODEL.emptyOutput : pageContent(output)
}
