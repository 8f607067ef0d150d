import elk from 'elkjs/lib/elk.bundled.js'
import type { AnyStateMachine } from 'xstate'
import { firstSentence, machinesOf } from '../drawings.ts'
import { type GraphNode, graphOf, LAYOUTS, type Options } from './graph.ts'
import { type Chart, chartOf } from './labels.ts'
import { svgOf } from './svg.ts'

/** Its types say that it has a default export; run by Node, it is the class itself. */
const Elk = elk as unknown as new () => { layout(graph: GraphNode): Promise<GraphNode> }

/**
 * Every machine of a folder, or `only` some, as an SVG statechart, by file name, and what is in them in sentences. The
 * same code gives the same pictures.
 */
export async function statecharts(folder: string, only?: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const machines = (await machinesOf(folder)).filter(({ name }) => only?.includes(name) ?? true)
  const drawn = machines.map(
    async ({ name, machine, sentences }) =>
      [`${name}.svg`, `${svgOf(name, await laidOut(machine), sentences)}\n`] as const,
  )
  const sentences = Object.fromEntries(
    machines.map((each) => [each.name, { about: firstSentence(each.text), ...each.sentences }]),
  )
  return new Map([...(await Promise.all(drawn)), ['sentences.json', `${JSON.stringify(sentences, null, 2)}\n`]])
}

/** How much larger a drawing may be for one crossing less. */
const CROSSING_PX = 10

/**
 * The closest layout that has the words of every arrow clear of everything; or else the best of all that have room for
 * them.
 */
async function laidOut(machine: AnyStateMachine): Promise<Chart> {
  const elk = new Elk()
  const { graph, arrows } = graphOf(machine)
  const tried: Chart[] = []
  for (const layouts of LAYOUTS) {
    if (layouts === LAYOUTS.at(-1) && tried.some(({ isWhole }) => isWhole)) break
    // What is laid out is changed by it.
    for (const options of layouts)
      tried.push(chartOf(await elk.layout(structuredClone(withOptions(graph, options))), arrows))
    const clear = tried.filter(({ isWhole, crossings }) => isWhole && crossings === 0)
    if (clear.length > 0) return bestOf(clear)
  }
  const charts = tried.filter(({ isWhole }) => isWhole)
  if (charts.length === 0) throw new Error(`${machine.id}: there is no room for the words of its arrows`)
  return bestOf(charts)
}

const bestOf = (charts: readonly Chart[]): Chart => charts.toSorted((a, b) => badnessOf(a) - badnessOf(b))[0] as Chart
/** It is shown in a box that is about as high as it is wide. */
const badnessOf = ({ width, height, crossings }: Chart): number => Math.max(width, height) + crossings * CROSSING_PX

const withOptions = (node: GraphNode, options: Options): GraphNode => ({
  ...node,
  ...(node.children
    ? {
        layoutOptions: { ...options, ...node.layoutOptions },
        children: node.children.map((each) => withOptions(each, options)),
      }
    : {}),
})
