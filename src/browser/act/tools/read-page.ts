import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import type { ReadPageInput } from '../../../wire/tools.ts'
import { sawTree } from '../effect.ts'
import type { Call } from '../page.ts'
import type { Result } from '../result.ts'
import { readTree } from '../tree/read.ts'
import { headPartMax, treeNotes, treeText } from '../tree/text.ts'

/** The page, or one element of it, as a tree in text, cut at whole lines. */
export async function readPage(call: Call, input: ReadPageInput): Promise<Result> {
  const interactive = input.filter === 'interactive'
  const max = input.max_chars ?? OUTPUT_CHARS_MAX
  const headMax = headPartMax(max)
  const tree = await readTree(call, {
    interactive,
    isLook: true,
    maxChars: Math.max(1, max - 2 * headMax - NOTICE_CHARS),
    ...(input.ref === undefined ? {} : { ref: input.ref }),
    ...(input.page === undefined ? {} : { page: input.page }),
  })
  if (!interactive && input.ref === undefined && input.page === undefined) sawTree(call, tree)
  const empty = interactive ? '(nothing to interact with)' : '(the page is empty)'
  return { content: treeText(tree, empty, input.ref !== undefined, headMax), said: treeNotes(tree).join('\n') }
}

/** For what stands around title and address, and what is said of what was cut. */
const NOTICE_CHARS = 170
