import { readFileSync } from 'node:fs'

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}
interface Profile {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly startTime: number
  readonly endTime: number
}

const SHOWN = 25

/** Where the time of a profile went, by place and by function, in µs a step: lines of text. Prints them, and gives a summary. */
export function profiled(file: string, what: string, steps: number, cpuMsPerStep: number): string[] {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const { places, self, inclusive, sampledUs } = sums(profile)
  const perStep = (us: number) => `${(us / steps).toFixed(1).padStart(8)} µs`
  const top = (sum: ReadonlyMap<string, number>) =>
    [...sum]
      .sort(([, a], [, b]) => b - a)
      .slice(0, SHOWN)
      .map(([name, us]) => `  ${perStep(us)}  ${name}`)
  const idle = (places.get('(idle)') ?? 0) + (places.get('(program)') ?? 0)
  console.log(`\nProfile, ${what} (${file}): a step costs ${perStep(sampledUs - idle).trim()} on the JavaScript thread`)
  console.log(`${' by place'}\n${top(places).join('\n')}`)
  console.log(`${' by function, itself'}\n${top(self).join('\n')}`)
  console.log(`${' by function, with all that it called'}\n${top(inclusive).join('\n')}\n`)
  const main = (sampledUs - idle) / steps / 1_000
  const biggest = [...places]
    .filter(([name]) => !/idle|program/.test(name))
    .sort(([, a], [, b]) => b - a)
    .slice(0, 6)
  return [
    `Profile, ${what}: ${main.toFixed(3)} of ${cpuMsPerStep.toFixed(3)} ms a step are the JavaScript thread's: ${biggest.map(([name, us]) => `${name} ${(us / steps).toFixed(0)} µs`).join(', ')}.`,
  ]
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
    return us
  }
  const [root] = nodes
  const sampledUs = root ? walk(root, new Set()) : 0
  return { places, self, inclusive, sampledUs }
}

const relative = (url: string) =>
  url.replace(/^.*\/node_modules\//, '').replace(/^.*?\/((?:src|actors|machines|test)\/)/, '$1')

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: Node) =>
  `${functionName || '(anonymous)'}${url === '' ? '' : ` ${relative(url)}:${lineNumber + 1}`}`

/** A package, a room of ours, a part of node, or what the engine does itself. */
function placeOf({ callFrame: { functionName, url } }: Node): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'engine'
  if (url.startsWith('node:')) return 'node'
  if (url.includes('/node_modules/')) {
    const path = relative(url).split('/')
    return path.slice(0, path[0]?.startsWith('@') ? 2 : 1).join('/')
  }
  const [floor = '', room = ''] = relative(url).split('/')
  return floor === 'src' ? `src/${room}` : floor
}
