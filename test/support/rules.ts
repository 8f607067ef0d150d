import { readdirSync, readFileSync } from 'node:fs'

/** docs/spec-rules.md, read: its rules in their order, and those that stand under "Not built yet". */
export interface Rules {
  readonly numbers: readonly string[]
  readonly notYet: readonly string[]
}

/** The list under "Not built yet": a fenced block of numbers. */
const NOT_YET = /(## Not built yet[\s\S]*?```\n)([\s\S]*?)(```)/

export function readRules(markdown: string): Rules {
  const numbers = [...markdown.matchAll(/^- \*\*([A-Z]\d+)\*\* \S/gm)].map(([, number]) => number ?? '')
  const notYet = NOT_YET.exec(markdown)?.[2]?.match(/[A-Z]\d+/g) ?? []
  return { numbers, notYet }
}

/** The document with another list under "Not built yet", one area a line. */
export function writeNotYet(markdown: string, notYet: readonly string[]): string {
  const areas = new Map<string, string[]>()
  for (const number of notYet) areas.set(number.charAt(0), [...(areas.get(number.charAt(0)) ?? []), number])
  const list = [...areas.values()].map((numbers) => `${numbers.join(' ')}\n`).join('')
  return markdown.replace(NOT_YET, (_, head: string, _list: string, foot: string) => head + list + foot)
}

const TEXTS_AND_COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
const TAG = /\[[A-Z]\d+(?:(?:, ?| |–)[A-Z]\d+)*\]/g

/** The numbers in brackets, `[T9]`, `[T9 L2]` and `[T9][L2]`, in the texts or in the comments of a source. */
export function tagged(source: string, where: 'texts' | 'comments'): string[] {
  return [...source.matchAll(TEXTS_AND_COMMENTS)]
    .filter(([token]) => token.startsWith('/') === (where === 'comments'))
    .flatMap(([token]) => token.match(TAG) ?? [])
    .flatMap((tag) => tag.match(/[A-Z]\d+/g) ?? [])
}

/** What is wrong between the rules, the numbers that tests name, and those that comments in the code name. */
export function findings({ numbers, notYet }: Rules, tested: ReadonlySet<string>, mentioned: ReadonlySet<string>) {
  const known = new Set(numbers)
  const open = new Set(notYet)
  return {
    doubled: numbers.filter((number, at) => numbers.indexOf(number) !== at),
    unknownInTests: [...tested].filter((number) => !known.has(number)),
    unknownInCode: [...mentioned].filter((number) => !known.has(number)),
    unknownNotYet: notYet.filter((number) => !known.has(number)),
    without: numbers.filter((number) => !tested.has(number) && !open.has(number)),
    builtMeanwhile: notYet.filter((number) => tested.has(number)),
  }
}

const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)rules(\.test)?\.ts$/.test(name))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

/** The numbers that the repository's tests name: in `*.test.ts` and in the suites that these share. */
export const testedNumbers = () => new Set(sources('test').flatMap((source) => tagged(source, 'texts')))
export const mentionedNumbers = () =>
  new Set(['machines', 'actors', 'src'].flatMap(sources).flatMap((source) => tagged(source, 'comments')))
