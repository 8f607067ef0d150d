/** About so much is a character of a lane's name, and of the words on an arrow. */
const NAME_CHAR_PX = 7
export const WORD_CHAR_PX = 6
const BESIDE_PX = 10

export interface Lanes {
  readonly width: number
  /** Where the line of a lane is. */
  x(name: string): number
}

/** Lanes beside each other, each at least as wide as its name; together they fill the room that there is. */
export function lanesOf(names: readonly string[], room: number): Lanes {
  const least = names.map((name) => name.length * NAME_CHAR_PX + BESIDE_PX)
  const needed = least.reduce((sum, px) => sum + px, 0)
  const more = Math.max(0, room - needed) / Math.max(1, names.length)
  let from = 0
  const middles = new Map<string, number>()
  names.forEach((name, index) => {
    const width = (least[index] ?? 0) + more
    middles.set(name, from + width / 2)
    from += width
  })
  return { width: Math.max(from, 1), x: (name) => middles.get(name) ?? 0 }
}

/** Where words on an arrow begin, so that they stay inside of the drawing. */
export const wordsAt = (words: string, middle: number, width: number): number => {
  const long = words.length * WORD_CHAR_PX
  return Math.max(2, Math.min(middle - long / 2, width - long - 2))
}
