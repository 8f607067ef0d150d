import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import type { Options } from '../options.ts'
import { svg } from './plot.ts'
import { markdown, type Section } from './section.ts'

const BEGIN = '<!-- figures: written by npm run bench -- --write -->'
const END = '<!-- end of figures -->'
const FILE = 'docs/bench.md'

/** What the figures were taken on, one line each. */
export function machine({ store, transport, rounds, quick }: Options): string[] {
  const all = cpus()
  const load = loadavg().map((value) => value.toFixed(2))
  return [
    `- ${all.length} × ${all[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node ${process.version}`,
    `- store ${store}, transport ${transport}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${quick ? ', tiny sizes (--quick): no figures' : ''}`,
    `- ${new Date().toISOString().slice(0, 10)}, load of the machine at the start: ${load.join(' ')}`,
  ]
}

/** Puts the figures into docs/bench.md, between its two marks, and the plots beside it. */
export function writeReport(shape: readonly string[], sections: readonly Section[]): void {
  mkdirSync('docs/bench', { recursive: true })
  for (const plot of sections.flatMap(({ plots }) => plots)) writeFileSync(`docs/bench/${plot.file}`, svg(plot))
  const before = readFileSync(FILE, 'utf8')
  const begin = before.indexOf(BEGIN)
  const end = before.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`${FILE} has lost the marks between which the figures stand`)
  const figures = [BEGIN, shape.join('\n'), ...sections.map((section) => markdown(section).trim()), END].join('\n\n')
  writeFileSync(FILE, before.slice(0, begin) + figures + before.slice(end + END.length))
  console.log(`Written: ${FILE}`)
}
