import { openSite, type Site } from '../harness/site.ts'
import { openStage, serveOf } from '../harness/stage.ts'
import { type EvalTask, Unsolved } from '../harness/task.ts'
import { OWN } from '../own/tasks.ts'
import { type Mcp, openMcp } from './mcp.ts'
import { McpHands } from './mcp-hands.ts'

const TASK_MS_MAX = 40_000
const WHY_CHARS_MAX = 110

interface Row {
  readonly ok: boolean
  readonly calls: number
  readonly chars: number
  readonly look: number
  readonly why: string
}

/**
 * Has the same solvers do the own tasks with Playwright MCP, page by page, where its tools have a way: what a snapshot
 * costs, and whether what it answers is enough to go on. Prints a table in Markdown, a row as soon as it is known.
 */
export async function compareOwn(root: string): Promise<void> {
  const tasks = OWN.filter(({ oursOnly }) => !oursOnly)
  const [stage, site] = [await openStage(root, false), await openSite()]
  const done = { ours: 0, theirs: 0 }
  console.log(HEAD)
  for (const [at, task] of tasks.entries()) {
    const ours = { ...(await stage.run(task)), look: 0 }
    const theirs = await withMcp(site, task, at)
    done.ours += Number(ours.ok)
    done.theirs += Number(theirs.ok)
    console.log(`| ${task.name} | ${cells(ours)} | ${theirCells(theirs)} |`)
  }
  console.log(`\nOf ${tasks.length} tasks these tools do ${done.ours}, Playwright MCP ${done.theirs}.`)
  await Promise.all([stage.close(), site.close()])
}

const HEAD = `| task | done | calls | characters | done (Playwright MCP) | calls | characters | of the first snapshot | why not |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |`

const cells = ({ ok, calls, chars }: Row): string => `${ok ? 'yes' : 'no'} | ${calls} | ${chars}`
const theirCells = (row: Row): string =>
  `${cells(row)} | ${row.look || '–'} | ${row.why.replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, WHY_CHARS_MAX)}`

async function withMcp(site: Site, task: EvalTask, at: number): Promise<Row> {
  // A browser of its own for each: what one leaves open would stand in the way of the next.
  const mcp = await openMcp()
  const hands = new McpHands(mcp, site.add(`mcp${at}`, task.serve ?? serveOf(task)))
  const why = await solve(mcp, hands, task).catch((error: Error) => error.message)
  const { calls, chars } = hands.spent
  await mcp.close()
  return { ok: why === '', calls, chars, look: hands.firstLook, why }
}

async function solve(mcp: Mcp, hands: McpHands, task: EvalTask): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unsolved('not done in time')), TASK_MS_MAX)
  })
  try {
    const solving = task.solve(hands)
    await Promise.race([solving, late])
  } finally {
    clearTimeout(timer)
  }
  if (task.check === undefined) return ''
  for (let look = 0; look < 5; look += 1) {
    const { text } = await mcp.call('browser_evaluate', { function: `() => (${task.check}) === true` })
    if (/### Result\s+true/.test(text)) return ''
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return 'the page was not as it should be'
}
