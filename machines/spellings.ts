/**
 * The spellings in which one text may appear: escaped for URLs, HTML, JSON and scripts, in other cases and Unicode normal
 * forms, with other white space. Each is traced back to where it is in the text as it was given.
 */

/** A text with its escapes read, and the range of the given text that each code unit comes from. */
export interface Reading {
  readonly text: string
  /** `null`: each code unit is its own range. */
  readonly ranges: { readonly starts: Int32Array; readonly ends: Int32Array } | null
}

/** What texts are compared by. */
export class Letters {
  codes = new Uint16Array(64)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  length = 0

  constructor(capacity = 64) {
    this.#resize(Math.max(64, capacity))
  }

  push(code: number, start: number, end: number): void {
    if (this.length === this.codes.length) this.#resize(this.length * 2)
    this.codes[this.length] = code
    this.starts[this.length] = start
    this.ends[this.length++] = end
  }

  toString(from = 0, to = this.length): string {
    let text = ''
    for (let at = from; at < to; at += 8_192)
      text += String.fromCharCode(...this.codes.subarray(at, Math.min(to, at + 8_192)))
    return text
  }

  #resize(capacity: number): void {
    for (const name of ['starts', 'ends'] as const) {
      const grown = new Int32Array(capacity)
      grown.set(this[name].subarray(0, this.length))
      this[name] = grown
    }
    const codes = new Uint16Array(capacity)
    codes.set(this.codes.subarray(0, this.length))
    this.codes = codes
  }
}

/** Escapes within escapes, such as JSON in JSON in HTML. */
const ESCAPED_TIMES_MAX = 3
const URL_ESCAPES = '(?:%[\\da-f]{2})+|%u[\\da-f]{4}'
const HTML_ESCAPES = '&(?:#\\d{1,10}|#x[\\da-f]{1,8}|[a-z]{2,8}\\d{0,2});?'
const SCRIPT_ESCAPES = '\\\\(?:u\\{[\\da-f]{1,6}\\}|u[\\da-f]{4}|x[\\da-f]{2}|3\\d |[^%&]|(?=[%&]))'
const escapesOf = (...kinds: readonly string[]) => new RegExp(kinds.join('|'), 'gi')
const ESCAPES = escapesOf(URL_ESCAPES, HTML_ESCAPES, SCRIPT_ESCAPES)
/** What is not an escape of one kind may look like one of another kind. */
const ESCAPES_BUT_OF_SCRIPTS = escapesOf(URL_ESCAPES, HTML_ESCAPES)
const ESCAPES_BUT_OF_URLS = escapesOf(HTML_ESCAPES, SCRIPT_ESCAPES)

/** The text as it is, and with its escapes read once, twice, … for as long as there are any. */
export function readingsOf(text: string): Reading[] {
  const readings: Reading[] = [{ text, ranges: null }]
  const read = (escapes: RegExp) => {
    let last: Reading | null = readings[0] as Reading
    for (let times = 0; times < ESCAPED_TIMES_MAX; times++) {
      last = unescaped(last, escapes)
      if (last === null) return
      readings.push(last)
    }
  }
  read(ESCAPES)
  const [hasUrls, hasHtml, hasScripts] = ['%', '&', '\\'].map((each) => text.includes(each))
  if (hasScripts && (hasUrls || hasHtml)) read(ESCAPES_BUT_OF_SCRIPTS)
  if (hasUrls && (hasScripts || hasHtml)) read(ESCAPES_BUT_OF_URLS)
  return readings
}

function unescaped({ text, ranges }: Reading, escapes: RegExp): Reading | null {
  if (!/[%&\\]/.test(text)) return null
  const letters = new Letters(text.length)
  const startOf = (at: number) => ranges?.starts[at] ?? at
  const endOf = (at: number) => ranges?.ends[at] ?? at + 1
  const add = (what: string, from: number, to: number) => {
    for (let at = 0; at < what.length; at++) letters.push(what.charCodeAt(at), startOf(from), endOf(to - 1))
  }
  let from = 0
  let changes = false
  const copyUntil = (to: number) => {
    for (let at = from; at < to; at++) letters.push(text.charCodeAt(at), startOf(at), endOf(at))
    from = to
  }
  for (const { 0: written, index } of text.matchAll(escapes)) {
    copyUntil(index)
    if (written[0] === '%' && !/^%u/i.test(written)) addBytes(written, index, add)
    else {
      const meant = meaningOf(written)
      if (meant === null) continue
      add(meant, index, index + written.length)
    }
    from = index + written.length
    changes = true
  }
  if (!changes) return null
  copyUntil(text.length)
  const { length } = letters
  return {
    text: letters.toString(),
    ranges: { starts: letters.starts.subarray(0, length), ends: letters.ends.subarray(0, length) },
  }
}

/** Bytes of UTF-8, each as `%…`; one that is not UTF-8 is taken as Latin-1. */
function addBytes(written: string, index: number, add: (what: string, from: number, to: number) => void): void {
  const byteAt = (at: number) => Number.parseInt(written.slice(at + 1, at + 3), 16)
  for (let at = 0; at < written.length; ) {
    const first = byteAt(at)
    const more = first >= 0xf0 && first < 0xf5 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0
    let point = more === 0 ? first : first & (0x3f >> more)
    let size = 3
    for (let count = 1; count <= (first < 0xf5 ? more : 0); count++) {
      const next = byteAt(at + 3 * count)
      if (!(next >= 0x80 && next < 0xc0)) break
      point = (point << 6) | (next & 0x3f)
      size += 3
    }
    if (size !== 3 * (more + 1) || point > 0x10ffff) [point, size] = [first, 3]
    add(String.fromCodePoint(point), index + at, index + at + size)
    at += size
  }
}

/** `null`: it only looks like an escape. */
function meaningOf(written: string): string | null {
  if (written[0] === '&') {
    const [, decimal, hex, name = ''] = /^&(?:#(\d+)|#x([\da-f]+)|(\w+));?$/i.exec(written) ?? []
    if (decimal === undefined && hex === undefined) return NAMED.get(name.toLowerCase()) ?? null
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  }
  const [, hex] = /^(?:%u|\\u\{?|\\x)([\da-f]+)\}?$/i.exec(written) ?? []
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
  // As CSS escapes a digit at the beginning of a name.
  if (/^\\3\d $/.test(written)) return written[2] ?? null
  return WHITE.has(written[1] ?? '') ? ' ' : written.slice(1)
}

const WHITE = new Set('nrtfv')
const characterOf = (point: number): string | null => (point <= 0x10ffff ? String.fromCodePoint(point) : null)

/** Those of ASCII and Latin-1, without their case: texts are compared without it. */
const NAMED = new Map<string, string>([
  ...'!excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^hat _lowbar `grave {lcub {lbrace |verbar |vert }rcub }rbrace'
    .split(' ')
    .map((each): [string, string] => [each.slice(1), each.slice(0, 1)]),
  ...'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml times oslash ugrave uacute ucirc uuml yacute thorn szlig'
    .split(' ')
    .map((name, at): [string, string] => [name, String.fromCharCode(0xa0 + at)]),
  ['divide', '÷'],
  ['yuml', 'ÿ'],
])

const SPACE = 32
const HYPHEN = 45
const folds = new Map<number, string>()

/** Without case, in one normal form; white space and `+`, which forms write for a space, are one. */
function foldOf(point: number): string {
  const known = folds.get(point)
  if (known !== undefined) return known
  const character = String.fromCodePoint(point)
  const fold = /[\s+]/u.test(character) ? ' ' : character.normalize('NFKD').toUpperCase().toLowerCase()
  if (folds.size < 10_000) folds.set(point, fold)
  return fold
}

/** Each letter as it is compared, whatever its case and normal form. */
export function foldedLetters({ text, ranges }: Reading): Letters {
  const letters = new Letters(text.length)
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number
    const size = point > 0xffff ? 2 : 1
    const start = ranges?.starts[at] ?? at
    const end = ranges?.ends[at + size - 1] ?? at + size
    const fold = foldOf(point)
    for (let index = 0; index < fold.length; index++) letters.push(fold.charCodeAt(index), start, end)
    at += size
  }
  return letters
}

/** Without what pages put between the parts of a long value: white space, hyphens, what nobody sees. */
export function joinedLetters(folded: Letters): Letters {
  const letters = new Letters(folded.length)
  for (let at = 0; at < folded.length; at++) {
    const code = folded.codes[at] as number
    if (code === SPACE || code === HYPHEN || (code > 127 && isInvisible(code))) continue
    letters.push(code, folded.starts[at] as number, folded.ends[at] as number)
  }
  return letters
}

const isInvisible = (code: number): boolean =>
  code === 0xad ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2010 && code <= 0x2015) ||
  code === 0x2060 ||
  code === 0xfeff

/** As base64 in either alphabet writes it, over line breaks. Anything else is one letter that base64 has not. */
export function base64Letters({ text, ranges }: Reading): Letters {
  const letters = new Letters(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === SPACE || (code >= 9 && code <= 13)) continue
    letters.push(BASE64[code] ?? 0, ranges?.starts[at] ?? at, ranges?.ends[at] ?? at + 1)
  }
  return letters
}

const BASE64 = new Uint16Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  BASE64[character.charCodeAt(0)] = character.charCodeAt(0)
BASE64['-'.charCodeAt(0)] = '+'.charCodeAt(0)
BASE64['_'.charCodeAt(0)] = '/'.charCodeAt(0)
