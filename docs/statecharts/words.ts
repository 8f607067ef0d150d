/** The words of a box: its name, and what it is below it, in lines. */
export interface Words {
  readonly name: string
  readonly lines: readonly string[]
  readonly width: number
  readonly height: number
}

export const NAME_PX = 13
export const SMALL_PX = 12.5
/** Of the words of an arrow. */
export const LABEL_PX = 12.5
export const LABEL_LINE_PX = 15
export const NAME_LINE_PX = 20
export const LINE_PX = 15
/** As wide as a line below a name is at most. */
const WRAP_PX = 105

/** How wide characters are at most, in any font that a page may be shown in, in parts of its size; others are narrower. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:'’|]/, 0.36],
  [/[ftr()[\] ]/, 0.45],
  [/[mwMW]/, 0.98],
  [/[A-Z]/, 0.74],
]
const OTHER_WIDTH = 0.64
const BOLD = 1.1

/** How wide a text is at most. */
export const widthOf = (text: string, px: number): number =>
  px * [...text].reduce((sum, char) => sum + (WIDTHS.find(([chars]) => chars.test(char))?.[1] ?? OTHER_WIDTH), 0)

export function textOf(name: string, sentence: string): Words {
  const lines = wrapped(sentence)
  const width = Math.max(widthOf(name, NAME_PX) * BOLD, ...lines.map((line) => widthOf(line, SMALL_PX)))
  return { name, lines, width: Math.ceil(width), height: NAME_LINE_PX + lines.length * LINE_PX }
}

/** In lines of about the same width. */
function wrapped(text: string): string[] {
  const whole = widthOf(text, SMALL_PX)
  const most = Math.min(WRAP_PX, (1.15 * whole) / Math.ceil(whole / WRAP_PX))
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && widthOf(longer, SMALL_PX) > most) lines.push(line)
    line = line !== '' && widthOf(longer, SMALL_PX) > most ? word : longer
  }
  return line === '' ? lines : [...lines, line]
}
