import { refIn } from '../harness/hands.ts'
import { openSite } from '../harness/site.ts'
import { openStage, serveOf } from '../harness/stage.ts'
import { openMcp } from './mcp.ts'
import { TYPICAL } from './pages.ts'

const ROUNDS = 5

/** What one look at a page and one action on it cost: characters that a model reads, and milliseconds. */
interface Cost {
  readonly look: number
  readonly lookMs: number
  readonly click: number
  readonly clickMs: number
  /** The click's own answer shows what it changed. */
  readonly shown: boolean
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const EFFECT = /It worked\./

/** Measures both tool sets on the same pages, page by page, and prints a table in Markdown. */
export async function comparePages(root: string): Promise<string> {
  const [ours, theirs] = [await measureOurs(root), await measureMcp()]
  const rows = Object.keys(TYPICAL).map((name) => `| ${name} | ${cells(ours.get(name))} | ${cells(theirs.get(name))} |`)
  return [
    '| page | look | ms | click | ms | effect shown | look (Playwright MCP) | ms | click | ms | effect shown |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const cells = (cost: Cost | undefined): string =>
  cost === undefined
    ? '– | – | – | – | –'
    : `${cost.look} | ${Math.round(cost.lookMs)} | ${cost.click} | ${Math.round(cost.clickMs)} | ${cost.shown ? 'yes' : 'no'}`

interface Timed {
  readonly text: string
  readonly ms: number
}

async function measure(look: () => Promise<Timed>, click: (ref: string) => Promise<Timed>): Promise<Cost> {
  const looks: Timed[] = []
  for (let round = 0; round < ROUNDS; round += 1) looks.push(await look())
  const ref = refIn(looks[0]?.text ?? '', /button "Try it"/) ?? 'e1'
  const clicked = await click(ref)
  const again: Timed[] = []
  for (let round = 1; round < ROUNDS; round += 1) again.push(await click(ref))
  return {
    look: looks[0]?.text.length ?? 0,
    lookMs: median(looks.map(({ ms }) => ms)),
    click: clicked.text.length,
    clickMs: median([clicked, ...again].map(({ ms }) => ms)),
    shown: EFFECT.test(clicked.text),
  }
}

async function measureOurs(root: string): Promise<Map<string, Cost>> {
  const stage = await openStage(root, false)
  const costs = new Map<string, Cost>()
  for (const [name, page] of Object.entries(TYPICAL)) {
    await stage.run({
      name,
      about: 'pages',
      page,
      async solve(s) {
        await s.open()
        const look = () => s.attempt('read_page', {})
        costs.set(name, await measure(look, (ref) => s.attempt('computer', { action: 'left_click', ref })))
      },
    })
  }
  await stage.close()
  return costs
}

async function measureMcp(): Promise<Map<string, Cost>> {
  const [mcp, site] = [await openMcp(), await openSite()]
  const costs = new Map<string, Cost>()
  for (const [at, [name, page]] of Object.entries(TYPICAL).entries()) {
    const { own } = site.add(`mcp${at}`, serveOf({ page }))
    await mcp.call('browser_navigate', { url: own })
    const click = (ref: string) => mcp.call('browser_click', { element: 'Try it', target: ref, ref })
    costs.set(name, await measure(() => mcp.call('browser_snapshot', {}), click))
  }
  await Promise.all([mcp.close(), site.close()])
  return costs
}
