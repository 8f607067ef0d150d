import { FIND_RESULTS_MAX } from '../../../wire/limits.ts'
import type { FindInput } from '../../../wire/tools.ts'
import type { FindResult, Found } from '../../read/types.ts'
import type { PageFrame } from '../frames.ts'
import { type Call, readable } from '../page.ts'
import type { Result } from '../result.ts'
import { truncate } from '../text.ts'
import { refsOf } from '../tree/read.ts'
import { ask, askPrepared } from '../tree/reader.ts'

/** What scores less than this share of the best match is left out. */
const MIN_RELATIVE_SCORE = 0.5

/** Up to FIND_RESULTS_MAX elements that match the words, best first, each with a reference, in all frames. */
export async function find(call: Call, { query }: FindInput): Promise<Result> {
  await readable(call)
  const frames = await call.page.frames.list(call)
  const results = await inFrames(call, frames, frames[0], query)
  const matches = results.flatMap(({ found }) => found).sort((a, b) => b.score - a.score)
  const best = matches[0]?.score ?? 0
  const exact = matches.filter(({ isExact }) => isExact)
  const near = exact.length > 0 ? exact : matches.filter(({ score }) => score >= best * MIN_RELATIVE_SCORE)
  const shown = near.slice(0, FIND_RESULTS_MAX)
  const cut = results.some(({ isCut }) => isCut) ? 'The page is so large that not all of it was searched in time.' : ''
  if (shown.length === 0) {
    return {
      content: '',
      said: [`Nothing on the page matches ${JSON.stringify(truncate(query, 200))}.`, cut].filter(Boolean).join(' '),
    }
  }
  const count = shown.length === 1 ? '1 match' : `${shown.length} matches`
  return {
    said: [`${count}:`, cut].filter(Boolean).join(' '),
    content: shown.map((match) => lineOf(match, shown)).join('\n'),
  }
}

/** Of several that are called alike, it is told where each is. */
function lineOf({ text, place }: Found, all: readonly Found[]): string {
  const bare = (line: string) => line.replace(/ \[[fe\d]+\]/, '')
  const isOneOfMany = all.some((other) => other.text !== text && bare(other.text) === bare(text))
  return isOneOfMany && place ? `${text} in ${place}` : text
}

async function inFrames(
  call: Call,
  all: readonly PageFrame[],
  frame: PageFrame | undefined,
  query: string,
): Promise<FindResult[]> {
  if (!frame) return []
  const asked = () => ask(call, frame, 'find', { query, max: FIND_RESULTS_MAX, ...refsOf(call, frame) })
  const result = await askPrepared(call, frame, asked)
  if (!result) return []
  if (frame.number === null) call.page.counter.next = result.nextRef
  const inner = all.filter(({ number }) => number !== null && result.frames.includes(number))
  return [result, ...(await Promise.all(inner.map((each) => inFrames(call, all, each, query)))).flat()]
}
