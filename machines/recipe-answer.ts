import type { Values } from './recipe.ts'
import { numberOf } from './recipe-terms.ts'
import { escaped, filledText, type Templater } from './recipe-text.ts'

/**
 * [J15] Where the values of an output were read, so that they are read there again: a line that has the value in the same
 * words, under the same header if it is a row of a table, below the same line if it has no words of its own; of a list every
 * line of the same form between the two lines that it was between. Pure. What is not found so beyond doubt has no place.
 */
export type OutputPlaces =
  | {
      readonly kind: 'value'
      readonly reading: number
      readonly line: LinePlace
      readonly above?: string
      readonly header?: string
    }
  | {
      readonly kind: 'list'
      readonly reading: number
      readonly line: LinePlace
      readonly above: string
      readonly below: string | null
    }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, OutputPlaces>> }

/** A line as it is written around its values. Texts have places for inputs; `#` is any number. */
interface LinePlace {
  readonly around: readonly string[]
  /** What is between them: the field of a list's item (`''`: the item itself), and whether it is a number. */
  readonly holes: readonly { readonly field: string; readonly isNumber: boolean }[]
}

/** The pages that were read for an answer, each by its lines. */
export type Readings = readonly (readonly string[])[]

const LINES_MAX = 2_000
const ITEMS_MAX = 500
const NUMBER = /\p{N}+(?:[.,'’\u00a0\u202f]\p{N}+)*/gu
const WORDS = /\p{L}{2}/u

/** The lines of a page without references and what is another one each time. */
export const linesOf = (page: string): string[] =>
  page
    .split('\n')
    .slice(0, LINES_MAX)
    .map((line) =>
      line
        .replaceAll(/ \[(?:f\d+)?e\d+\]/g, '')
        .replace(/^\s*\*/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')

/** The places of an output in what was read for it; `null`: one of its values has none. */
export function placesOfOutput(
  output: unknown,
  readings: Readings,
  inputs: Values,
  templater: Templater,
): OutputPlaces | null {
  const places = placesIn(output, '', { readings, inputs, templater })
  // What the places give on the first pages is the first output, or they are wrong.
  const again = places && readOutput(places, readings, inputs)
  return again && isSame(again.output, output) ? places : null
}

interface Known {
  readonly readings: Readings
  readonly inputs: Values
  readonly templater: Templater
}

function placesIn(value: unknown, key: string, known: Known): OutputPlaces | null {
  if (typeof value === 'string' || typeof value === 'number') return valuePlace(value, key, known)
  if (Array.isArray(value)) return listPlace(value, known)
  if (typeof value !== 'object' || value === null) return null
  const fields: Record<string, OutputPlaces> = {}
  for (const [name, inner] of Object.entries(value)) {
    const place = placesIn(inner, name, known)
    if (place === null) return null
    fields[name] = place
  }
  return { kind: 'fields', fields }
}

function valuePlace(value: string | number, key: string, known: Known): OutputPlaces | null {
  for (let reading = known.readings.length - 1; reading >= 0; reading--) {
    const lines = known.readings[reading] ?? []
    const all = lines.flatMap((line, at) => splitsAt(line, value).map((around) => ({ around, at, line })))
    // The line that is named most like it: "Total to pay", and not "Total", of what is called so.
    const words = all.map(({ around }) => wordsNamed(key, around.join(' ')))
    const found = all.filter((_, at) => words[at] === Math.max(...words))
    const [only] = found
    if (found.length > 1) break
    if (!only) continue
    const line = { around: only.around.map((text) => shapeOf(text, known.templater)), holes: [holeOf('', value)] }
    const above = lines[only.at - 1]
    const hasWords = only.around.some((text) => WORDS.test(text))
    if (!hasWords && (above === undefined || !WORDS.test(above))) break
    const header = headerOf(lines, only.at)
    return {
      ...{ kind: 'value', reading, line },
      ...(hasWords ? {} : { above: shapeOf(above ?? '', known.templater) }),
      ...(header === null ? {} : { header: shapeOf(header, known.templater) }),
    }
  }
  const input = Object.keys(known.inputs).find(
    (name) => known.inputs[name] === value && wordsNamed(key, name.replaceAll('_', ' ')) > 0,
  )
  return input === undefined ? null : { kind: 'input', name: input }
}

/** The items of a list are lines of one form, one below the other. */
function listPlace(items: readonly unknown[], { readings, templater }: Known): OutputPlaces | null {
  if (items.length === 0 || items.length > ITEMS_MAX) return null
  const all = items.map(leavesOf)
  for (let reading = readings.length - 1; reading >= 0; reading--) {
    const lines = readings[reading] ?? []
    for (let start = 1; start + items.length <= lines.length; start++) {
      const forms = all.map((leaves, at) => (leaves ? formOf(lines[start + at] ?? '', leaves, templater) : null))
      const [form] = forms
      if (!form || !forms.every((each) => each && isSame(each, form))) continue
      const hasSigns = form.around.some((text) => text.trim() !== '')
      const above = lines[start - 1] ?? ''
      const below = lines[start + items.length]
      if (!hasSigns || !WORDS.test(above)) continue
      const shapes = { above: shapeOf(above, templater), below: below === undefined ? null : shapeOf(below, templater) }
      return { kind: 'list', reading, line: form, ...shapes }
    }
  }
  return null
}

type Leaf = readonly [field: string, value: string | number]

/** The texts and numbers of an item; `null`: it has others. */
function leavesOf(item: unknown): Leaf[] | null {
  if (typeof item === 'string' || typeof item === 'number') return [['', item]]
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
  const leaves = Object.entries(item)
  const isPlain = leaves.every(([, value]) => typeof value === 'string' || typeof value === 'number')
  return isPlain && leaves.length > 0 ? (leaves as Leaf[]) : null
}

/** A line by its values, each once, in the order in which they are written; `null`: it has not all of them. */
function formOf(line: string, leaves: readonly Leaf[], templater: Templater): LinePlace | null {
  const found = leaves.map(([field, value]) => ({ hole: holeOf(field, value), splits: splitsAt(line, value) }))
  if (found.some(({ splits }) => splits.length !== 1)) return null
  const placed = found
    .map(({ hole, splits: [[before = '', after = ''] = []] }) => ({
      ...{ hole, from: before.length, to: line.length - after.length },
    }))
    .sort((one, other) => one.from - other.from)
  if (placed.some(({ from }, at) => at > 0 && from < (placed[at - 1]?.to ?? 0))) return null
  const ends = [0, ...placed.map(({ to }) => to)]
  const around = ends.map((end, at) => shapeOf(line.slice(end, placed[at]?.from ?? line.length), templater))
  // Two values without anything between them cannot be told apart.
  if (around.slice(1, -1).some((text) => text.trim() === '')) return null
  return { around, holes: placed.map(({ hole }) => hole) }
}

const holeOf = (field: string, value: string | number) => ({ field, isNumber: typeof value === 'number' })

/** What is before and after the value wherever the line has it. */
function splitsAt(line: string, value: string | number): [before: string, after: string][] {
  const at = (from: number, length: number): [string, string] => [line.slice(0, from), line.slice(from + length)]
  if (typeof value === 'number')
    return [...line.matchAll(NUMBER)].flatMap(({ 0: text, index }) =>
      isClear(text) && numberOf(text) === value ? [at(index, text.length)] : [],
    )
  const text = value.trim().replaceAll(/\s+/g, ' ')
  if (text === '') return []
  return [...line.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}(?![\\p{L}\\p{N}])`, 'gu'))].map(
    ({ index }) => at(index, text.length),
  )
}

/** 1.234 may be a thousand or a little more than one. */
const isClear = (number: string): boolean => !/^\p{N}{1,3}[.,]\p{N}{3}$/u.test(number)

/** How many words of a field's name a text has. */
const wordsNamed = (field: string, text: string): number =>
  field
    .split(/[_\W]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word.length >= 3 && new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'iu').test(text)).length

/** The first row of the table that a line is in: as many cells, and no digits. */
function headerOf(lines: readonly string[], at: number): string | null {
  const cells = (line: string | undefined) => line?.split(' | ').length ?? 0
  const own = cells(lines[at])
  if (own < 2) return null
  let first = at
  while (cells(lines[first - 1]) === own) first--
  const header = lines[first]
  return first < at && header !== undefined && !/\p{N}/u.test(header) ? header : null
}

/** With places for inputs, and other numbers as `#`. */
const shapeOf = (text: string, templater: Templater): string =>
  templater
    .text(text)
    .replaceAll(/\{\{[^}]*\}\}|\p{N}+(?:[.,'’\u00a0\u202f]\p{N}+)*/gu, (part) => (part.startsWith('{{') ? part : '#'))

/** [J15] The output as the places have it now; `null`: one of them is not there, or more than once. */
export function readOutput(
  places: OutputPlaces,
  readings: Readings,
  inputs: Values,
): { readonly output: unknown } | null {
  if (places.kind === 'input') return places.name in inputs ? { output: inputs[places.name] } : null
  if (places.kind === 'fields') {
    const output: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(places.fields)) {
      const read = readOutput(inner, readings, inputs)
      if (read === null) return null
      output[name] = read.output
    }
    return { output }
  }
  const lines = readings[places.reading] ?? []
  const pattern = patternOf(places.line, inputs)
  const matches = (shape: string, line: string | undefined) =>
    line !== undefined && patternOf({ around: [shape], holes: [] }, inputs).test(line)
  if (places.kind === 'list') {
    const starts = lines.flatMap((line, at) => (matches(places.above, line) ? [at + 1] : []))
    if (starts.length !== 1) return null
    const rows = lines.slice(starts[0]).map((line) => valuesIn(pattern.exec(line), places.line))
    const end = rows.indexOf(null)
    const items = rows.slice(0, end < 0 ? rows.length : end)
    const below = lines[(starts[0] ?? 0) + items.length]
    // A line of another form, such as one of what is sold out, may be an item, too.
    const isAll = places.below === null ? below === undefined : matches(places.below, below)
    if (!isAll || items.length === 0 || items.length > ITEMS_MAX) return null
    return { output: items.map((item) => (item && '' in item ? item[''] : item)) }
  }
  const { above, header } = places
  const found = lines.flatMap((line, at) => {
    if (above !== undefined && !matches(above, lines[at - 1])) return []
    const values = valuesIn(pattern.exec(line), places.line)
    return values === null ? [] : [{ at, value: values[''] }]
  })
  const [only] = found
  if (!only || found.length > 1) return null
  if (header !== undefined && !matches(header, headerOf(lines, only.at) ?? undefined)) return null
  return { output: only.value }
}

function patternOf({ around, holes }: LinePlace, inputs: Values): RegExp {
  const written = around.map((text) => escaped(filledText(text, inputs)).replaceAll('#', NUMBER.source))
  const source = written.map((text, at) => {
    const hole = holes[at]
    return hole ? `${text}(${hole.isNumber ? NUMBER.source : '\\S|\\S.*?\\S'})` : text
  })
  return new RegExp(`^${source.join('')}$`, 'iu')
}

function valuesIn(match: RegExpExecArray | null, { holes }: LinePlace): Record<string, string | number> | null {
  if (!match) return null
  const values: Record<string, string | number> = {}
  for (const [at, { field, isNumber }] of holes.entries()) {
    const text = match[at + 1] ?? ''
    if (isNumber ? !isClear(text) : text.includes(' | ')) return null
    values[field] = isNumber ? numberOf(text) : text
  }
  return values
}

/** Whether two values of JSON are the same, in whatever order their fields are. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const [fields, others] = [Object.entries(one), Object.entries(other)]
  return (
    fields.length === others.length &&
    fields.every(([name, value]) => isSame(value, (other as Record<string, unknown>)[name]))
  )
}
