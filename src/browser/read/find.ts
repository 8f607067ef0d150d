import { newCustoms } from './custom-elements.ts'
import { truncate } from './dom.ts'
import { everyItem, type Item, textOf } from './item.ts'
import { lineOf } from './lines.ts'
import { frameOf, setSuspects } from './new-lines.ts'
import * as raw from './raw.ts'
import { nextNumber, numberOf, Places, startAt } from './redrawn-refs.ts'
import { isExact, type Query, queryOf, scoreOf } from './score.ts'
import { isStub, type Stub, textOfStub } from './stub.ts'
import type { FindOptions, FindResult } from './types.ts'
import { walk } from './walk.ts'

const STUBS_EXPANDED_MAX = 300

/** The items of the document that fit the words best, each with a reference. */
export function find({ query, prefix, nextRef, max, origin }: FindOptions): FindResult {
  startAt(nextRef)
  const { items, suspects, isCut } = walk(raw.page('documentElement'))
  setSuspects(suspects)
  const wanted = queryOf(query)
  const places = new Places(items)
  const expanded = expandedOf(items, wanted)
  places.add(expanded)
  const matches: { item: Item; score: number }[] = []
  const frames: number[] = []
  for (const item of [...everyItem(items), ...everyItem(expanded)]) {
    const frame = frameOf(item.element)
    if (frame !== undefined) frames.push(frame)
    const score = isStub(item) ? 0 : scoreOf(item, wanted)
    if (score > 0) matches.push({ item, score })
  }
  const found = matches
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ item, score }) => {
      const ref = `${prefix}e${numberOf(item, places)}`
      const line = lineOf(item, { ref, origin, isAlone: false, wholeMax: null })
      const inside = item.name ? '' : truncate(textOf(item.children), 200)
      return {
        score,
        isExact: isExact(item, wanted),
        text: inside ? `${line} containing ${JSON.stringify(inside)}` : line,
        place: places.of(item.element),
      }
    })
  return { found, frames, nextRef: nextNumber(), suspects: suspects.length + newCustoms(), isCut }
}

/** Of long lists what may fit best is read. */
function expandedOf(items: readonly Item[], { terms }: Query): readonly Item[] {
  const stubs: { stub: Stub; hits: number }[] = []
  for (const item of everyItem(items)) {
    if (!isStub(item)) continue
    const text = textOfStub(item)
    const hits = terms.filter((term) => text.includes(term)).length
    if (hits > 0) stubs.push({ stub: item, hits })
  }
  stubs.sort((a, b) => b.hits - a.hits)
  return stubs.slice(0, STUBS_EXPANDED_MAX).flatMap(({ stub }) => stub.expand())
}
