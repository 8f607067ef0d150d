import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenService, Stage } from '../stage.ts'

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}
interface Profile {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const SHOWN = 25
/** Not part of the repository; Chrome's developer tools show what lies there. */
const FOLDER = 'dist/bench'

/**
 * With `--profile`: a CPU profile of the service while it does some work, written to a file, and where the time of one
 * piece of that work went, printed. Gives a summary; nothing when no profile is wanted.
 */
export async function profiling(
  stage: Stage,
  service: OpenService,
  what: string,
  work: () => Promise<{ readonly count: number; readonly unit: string }>,
): Promise<string[]> {
  if (!stage.options.profile) return []
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${what.replaceAll(' ', '-')}.cpuprofile`)
  await service.ask.profile()
  const { count, unit } = await work()
  await service.ask.profiled(file)
  return [wordsOf(JSON.parse(readFileSync(file, 'utf8')) as Profile, what, file, count, unit)]
}

/** Not work: nothing to do, or the profiler's own. */
const IDLE = ['(idle)', '(program)', '(profiler)']

function wordsOf(profile: Profile, what: string, file: string, count: number, unit: string): string {
  const { places, self, inclusive } = sums(profile)
  for (const name of IDLE) for (const sum of [places, self, inclusive]) sum.delete(name)
  const sorted = (sum: ReadonlyMap<string, number>) => [...sum].sort(([, a], [, b]) => b - a)
  const top = (sum: ReadonlyMap<string, number>) =>
    sorted(sum)
      .slice(0, SHOWN)
      .map(([name, us]) => `  ${(us / count).toFixed(1).padStart(8)} µs  ${name}`)
      .join('\n')
  const all = [...places.values()].reduce((sum, us) => sum + us, 0) / count
  console.log(`\nProfile, ${what}: a ${unit} costs ${all.toFixed(1)} µs on the JavaScript thread (${file})`)
  console.log(` by place\n${top(places)}\n by function, itself\n${top(self)}`)
  console.log(` by function, with all that it called\n${top(inclusive)}\n`)
  const biggest = sorted(places).slice(0, 6)
  return `Profile, ${what}: ${all.toFixed(0)} µs a ${unit} on the JavaScript thread, of it ${biggest.map(([name, us]) => `${name} ${(us / count).toFixed(0)}`).join(', ')}.`
}

function sums({ nodes, samples, timeDeltas }: Profile) {
  const own = new Map<number, number>()
  for (const [n, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[n] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const places = new Map<string, number>()
  const self = new Map<string, number>()
  const inclusive = new Map<string, number>()
  const add = (sum: Map<string, number>, name: string, us: number) => sum.set(name, (sum.get(name) ?? 0) + us)
  /** All time below a node; a function that calls itself is counted once. */
  const walk = (node: Node, above: ReadonlySet<string>): number => {
    const name = nameOf(node)
    const inside = new Set(above).add(name)
    const mine = own.get(node.id) ?? 0
    let us = mine
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child) us += walk(child, inside)
    }
    add(places, placeOf(node), mine)
    add(self, name, mine)
    if (!above.has(name)) add(inclusive, name, us)
    return IDLE.includes(name) ? 0 : us
  }
  const [root] = nodes
  if (root) walk(root, new Set())
  return { places, self, inclusive }
}

const relative = (url: string) =>
  url.replace(/^.*\/node_modules\//, '').replace(/^.*?\/((?:src|actors|machines|test)\/)/, '$1')

/** Starting and stopping the profiler is done by a function of the engine of this name. */
const isProfiler = ({ callFrame: { functionName, url } }: Node) => url === '' && functionName === 'dispatch'

const nameOf = (node: Node) => (isProfiler(node) ? '(profiler)' : nameIn(node))
const nameIn = ({ callFrame: { functionName, url, lineNumber } }: Node) =>
  `${functionName || '(anonymous)'}${url === '' ? '' : ` ${relative(url)}:${lineNumber + 1}`}`

/** A package, a room of ours, a part of node, or what the engine does itself. */
function placeOf(node: Node): string {
  const { functionName, url } = node.callFrame
  if (isProfiler(node)) return '(profiler)'
  if (url === '') return functionName.startsWith('(') ? functionName : 'engine'
  if (url.startsWith('node:')) return 'node'
  if (url.includes('/node_modules/')) {
    const path = relative(url).split('/')
    return path.slice(0, path[0]?.startsWith('@') ? 2 : 1).join('/')
  }
  const [floor = '', room = ''] = relative(url).split('/')
  return floor === 'src' ? `src/${room}` : floor
}
