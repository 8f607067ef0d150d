import elk from 'elkjs/lib/elk.bundled.js'
import type { AnyStateMachine } from 'xstate'
import { firstSentence, machinesOf } from '../drawings.ts'
import { type GraphNode, graphOf, LAYOUTS, type Options } from './graph.ts'
import { type Chart, chartOf } from './labels.ts'
import { svgOf } from './svg.ts'

/** Its types say that it has a default export; run by Node, it is the class itself. */
const Elk = elk as unknown as new () => { layout(graph: GraphNode): Promise<GraphNode> }

/**
 * Every machine of a folder as an SVG statechart, by file name, and what is in them in sentences. The same code gives the
 * same pictures.
 */
export async function statecharts(folder: string): Promise<ReadonlyMap<string, string>> {
  const machines = await machinesOf(folder)
  const drawn = machines.map(
    async ({ name, machine, sentences }) =>
      [`${name}.svg`, `${svgOf(name, await laidOut(machine), sentences)}\n`] as const,
  )
  const sentences = Object.fromEntries(
    machines.map((each) => [each.name, { about: firstSentence(each.text), ...each.sentences }]),
  )
  return new Map([...(await Promise.all(drawn)), ['sentences.json', `${JSON.stringify(sentences, null, 2)}\n`]])
}

/** The narrowest of the closest layouts in which there is room for the words of every arrow. */
async function laidOut(machine: AnyStateMachine): Promise<Chart> {
  const elk = new Elk()
  const { graph, arrows } = graphOf(machine)
  for (const layouts of LAYOUTS) {
    const charts: Chart[] = []
    // What is laid out is changed by it.
    for (const options of layouts)
      charts.push(chartOf(await elk.layout(structuredClone(withOptions(graph, options))), arrows))
    const [best] = charts.filter(({ isWhole }) => isWhole).sort((a, b) => a.width - b.width)
    if (best) return best
  }
  throw new Error(`${machine.id}: there is no room for the words of its arrows`)
}

const withOptions = (node: GraphNode, options: Options): GraphNode => ({
  ...node,
  ...(node.children
    ? {
        layoutOptions: { ...options, ...node.layoutOptions },
        children: node.children.map((each) => withOptions(each, options)),
      }
    : {}),
})
