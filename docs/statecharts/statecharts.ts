import elk from 'elkjs/lib/elk.bundled.js'
import { firstSentence, machinesOf } from '../drawings.ts'
import { type GraphNode, graphOf } from './graph.ts'
import { svgOf } from './svg.ts'

/** Its types say that it has a default export; run by Node, it is the class itself. */
const Elk = elk as unknown as new () => { layout(graph: GraphNode): Promise<GraphNode> }

/**
 * Every machine of a folder as an SVG statechart, by file name, and what is in them in sentences. The same code gives the
 * same pictures.
 */
export async function statecharts(folder: string): Promise<ReadonlyMap<string, string>> {
  const layouts = new Elk()
  const machines = await machinesOf(folder)
  const drawn = machines.map(
    async ({ name, machine, sentences }) =>
      [`${name}.svg`, `${svgOf(name, await layouts.layout(graphOf(machine)), sentences)}\n`] as const,
  )
  const sentences = Object.fromEntries(
    machines.map((each) => [each.name, { about: firstSentence(each.text), ...each.sentences }]),
  )
  return new Map([...(await Promise.all(drawn)), ['sentences.json', `${JSON.stringify(sentences, null, 2)}\n`]])
}
