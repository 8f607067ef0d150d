import { truncate } from './dom.ts'
import { everyItem, type Item, textOf } from './item.ts'
import { lineOf } from './lines.ts'
import { nextNumber, numberOf, Places, startAt } from './registry.ts'
import { queryOf, scoreOf } from './score.ts'
import { frameOf, setSuspects } from './seen.ts'
import type { FindOptions, FindResult } from './types.ts'
import { walk } from './walk.ts'

/** The items of the document that fit the words best, each with a reference. */
export function find({ query, prefix, nextRef, max, origin }: FindOptions): FindResult {
  startAt(nextRef)
  const { items, suspects, isCut } = walk(document.documentElement)
  setSuspects(suspects)
  const places = new Places(items)
  const wanted = queryOf(query)
  const matches: { item: Item; score: number }[] = []
  const frames: number[] = []
  for (const item of everyItem(items)) {
    const frame = frameOf(item.element)
    if (frame !== undefined) frames.push(frame)
    const score = scoreOf(item, wanted)
    if (score > 0) matches.push({ item, score })
  }
  const found = matches
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ item, score }) => {
      const ref = `${prefix}e${numberOf(item, places)}`
      const line = lineOf(item, { ref, origin, isAlone: false, isWhole: false })
      const inside = item.name ? '' : truncate(textOf(item.children), 200)
      return {
        score,
        text: inside ? `${line} containing ${JSON.stringify(inside)}` : line,
        place: places.of(item.element),
      }
    })
  return { found, frames, nextRef: nextNumber(), suspects: suspects.length, isCut }
}
