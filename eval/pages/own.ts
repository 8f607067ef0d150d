import { openSite } from '../harness/site.ts'
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
 * costs, and whether what it answers is enough to go on. A table in Markdown.
 */
export async function compareOwn(root: string): Promise<string> {
  const tasks = OWN.filter(({ oursOnly }) => !oursOnly)
  const [ours, theirs] = [await runOurs(root, tasks), await runMcp(tasks)]
  const solved = (rows: ReadonlyMap<string, Row>) => [...rows.values()].filter(({ ok }) => ok).length
  const rows = tasks.map(({ name }) => `| ${name} | ${cells(ours.get(name))} | ${theirCells(theirs.get(name))} |`)
  return [
    `Of ${tasks.length} tasks these tools do ${solved(ours)}, Playwright MCP ${solved(theirs)}.`,
    '',
    '| task | done | calls | characters | done (Playwright MCP) | calls | characters | of the first snapshot | why not |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const cells = (row: Row | undefined): string =>
  row === undefined ? '– | – | –' : `${row.ok ? 'yes' : 'no'} | ${row.calls} | ${row.chars}`
const theirCells = (row: Row | undefined): string =>
  `${cells(row)} | ${row?.look || '–'} | ${(row?.why ?? '').replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, WHY_CHARS_MAX)}`

async function runOurs(root: string, tasks: readonly EvalTask[]): Promise<Map<string, Row>> {
  const stage = await openStage(root, false)
  const rows = new Map<string, Row>()
  for (const task of tasks) rows.set(task.name, { ...(await stage.run(task)), look: 0 })
  await stage.close()
  return rows
}

async function runMcp(tasks: readonly EvalTask[]): Promise<Map<string, Row>> {
  const site = await openSite()
  const rows = new Map<string, Row>()
  for (const [at, task] of tasks.entries()) {
    // A browser of its own for each: what one leaves open would stand in the way of the next.
    const mcp = await openMcp()
    const hands = new McpHands(mcp, site.add(`mcp${at}`, task.serve ?? serveOf(task)))
    const why = await solve(mcp, hands, task).catch((error: Error) => error.message)
    const { calls, chars } = hands.spent
    rows.set(task.name, { ok: why === '', calls, chars, look: hands.firstLook, why })
    await mcp.close()
  }
  await site.close()
  return rows
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
