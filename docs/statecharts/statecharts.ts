import elk from 'elkjs/lib/elk.bundled.js'
import { machinesOf } from '../drawings.ts'
import { type GraphNode, graphOf } from './graph.ts'
import { svgOf } from './svg.ts'

/** Its types say that it has a default export; run by Node, it is the class itself. */
const Elk = elk as unknown as new () => { layout(graph: GraphNode): Promise<GraphNode> }

/** Every machine of a folder as an SVG statechart, by file name. The same code gives the same pictures. */
export async function statecharts(folder: string): Promise<ReadonlyMap<string, string>> {
  const layouts = new Elk()
  const drawn = (await machinesOf(folder)).map(
    async ({ name, machine }) => [`${name}.svg`, `${svgOf(name, await layouts.layout(graphOf(machine)))}\n`] as const,
  )
  return new Map(await Promise.all(drawn))
}
