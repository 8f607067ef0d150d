import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { runBrowser } from '../browser/headless.ts'
import type { BrowserTasks, Task, TaskEvent } from '../client/index.ts'
import { readConfig } from '../config/config.ts'
import { serveSeveral } from '../demo/nodes.ts'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../demo/script.ts'
import { type Crash, serveApart, serveHere } from '../demo/service.ts'
import { money } from '../demo/shop/goods.ts'
import { openShop, type Shop } from '../demo/shop.ts'
import { durationOf } from '../wire/duration.ts'
import { clientOf } from './client.ts'
import { Failed, usageError } from './exit-codes.ts'
import { follow, sayEnding } from './follow.ts'
import { onInterrupt } from './interrupt.ts'
import { shopGoods } from './shop.ts'
import { bold, dim, green, lineOf, pairs, red, say } from './terminal.ts'

/** The whole demo with the script; a real model takes the time that it takes. */
const SCRIPTED_MS_MAX = 50_000
const CONNECT_MS_MAX = 15_000
/** Late enough that something would be lost or done twice. */
const CRASH_AT_STEP = 6
const NODES_MAX = 9

export interface DemoCommandOptions {
  readonly headed?: boolean
  readonly url?: string
  /** Kill the service with SIGKILL in mid-task, and start it again. */
  readonly crash?: boolean
  /** So many nodes, of which the one that runs the task is killed. */
  readonly nodes?: number
}

/**
 * [Q7] Shop, service, browser and a task in one process, on the embedded store in a folder of its own.
 * Resolves to whether the answer is right: for the demo's task what the shop itself knows of the order, for a task of
 * one's own that it completed.
 */
export async function demoCommand(ownTask: string | null, options: DemoCommandOptions): Promise<boolean> {
  const { headed = false, nodes } = options
  // One is killed, and another goes on.
  if (nodes !== undefined && !(Number.isInteger(nodes) && nodes >= 2 && nodes <= NODES_MAX))
    throw usageError(`--nodes must be a whole number from 2 to ${NODES_MAX}.`)
  const folder = await mkdtemp(join(tmpdir(), 'browser-task-demo-'))
  const env = demoEnv(join(folder, 'store'))
  const config = readConfig(env)
  const scripted = config.llm.provider === 'scripted'
  const own = ownTask !== null || options.url !== undefined
  const closing: (() => Promise<unknown>)[] = [
    () => rm(config.dataDir, { recursive: true, force: true }),
    // It stays when there are screenshots in it.
    () => rmdir(folder).catch(() => {}),
  ]
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  try {
    if (own && scripted) {
      throw new Failed(
        'A task of your own needs a language model: set ANTHROPIC_API_KEY (or another, see docs/settings.md).',
      )
    }
    if (own && ownTask === null)
      throw usageError('--url needs a task: npx browser-task-service demo "<task>" --url <page>')
    const goods = shopGoods()
    const shop = await openShop({ goods })
    closing.unshift(() => shop.close())
    const several = nodes === undefined ? null : await serveSeveral(env, nodes)
    const service = several ?? (await (options.crash ? serveApart : serveHere)(env))
    closing.unshift(() => service.stop())
    const client = clientOf({ service: service.url, key: service.key })
    const { pairing_token: pairingToken } = await client.browsers.pair({ label: 'demo' })
    let browserName = 'browser'
    const session = several && (await registered(service.url, pairingToken))
    const browser = await runBrowser({
      serviceUrl: service.url,
      ...(several && session ? { sessionToken: session, relayPort: several.relayPort } : { pairingToken }),
      headed,
      log: (line) => {
        browserName = /^(.*) is running\.$/.exec(line)?.[1] ?? browserName
      },
    })
    closing.unshift(() => browser.close())
    const browserSessionId = await connected(client, interrupted.signal)
    const task = ownTask ?? DEMO_TASK
    say(bold('Browser Task Service: a demonstration'))
    say()
    say(
      pairs([
        ['Shop', `${shop.url} (part of this project, on this machine)`],
        ['Service', several ? `${nodes} nodes behind ${service.url}` : service.url],
        ['Browser', `${browserName}, ${headed ? 'with a window' : 'headless'}`],
        [
          'Model',
          scripted
            ? 'none: a script decides the steps; everything else is real'
            : [config.llm.provider, config.llm.model].filter((name) => name !== null).join(', '),
        ],
        ['Task', task],
      ]),
    )
    say()
    const started = await client.tasks.create({
      task,
      url: own ? (options.url ?? null) : shop.url,
      browser_session_id: browserSessionId,
    })
    if (scripted)
      setTimeout(several ? 3 * SCRIPTED_MS_MAX : SCRIPTED_MS_MAX, undefined, { ref: false }).then(() =>
        interrupted.abort(),
      )
    const crash = service.crash
    let crashed: Crash | null = null
    const onEvent = async (event: TaskEvent) => {
      if (crash === null || crashed || event.type !== 'tool.called' || event.step < CRASH_AT_STEP) return
      crashed = await crash()
      if (several) sayMoved(crashed, event.step)
      else sayCrash(crashed, event.step)
    }
    const ended = await follow(client, started, { cancel: interrupted.signal, onEvent })
    if (!ended) return false
    sayEnding(ended, [['Screenshots', await keepScreenshots(client, ended, join(folder, 'screenshots'))]])
    const problem = own ? null : wrongWith(ended, shop)
    sayNext(problem, scripted)
    if (crashed) sayProven(crashed, problem)
    return ended.status === 'complete' && problem === null
  } finally {
    forget()
    for (const close of closing) await close().catch((error) => process.stderr.write(`${lineOf(error)}\n`))
  }
}

/** Of the environment only what chooses the model: everything else is the demo's own. */
function demoEnv(dataDir: string): Record<string, string | undefined> {
  const chosen = Object.entries(process.env).filter(([name]) => /^LLM_|_API_KEY$/.test(name))
  const { LLM_SCRIPT: script = DEMO_SCRIPT, ...model } = Object.fromEntries(chosen)
  return { ...model, LLM_SCRIPT: script, HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }
}

function sayCrash({ killedPid, newPid, awayMs }: Crash, step: number): void {
  say(red(`   ⚡ kill -9: the service (process ${killedPid}) died in step ${step}, during a tool call.`))
  say(green(`   ↻ Started again as process ${newPid}, it answered after ${durationOf(awayMs)}. The task goes on:`))
}

function sayMoved({ killedPid, newPid, awayMs }: Crash, step: number): void {
  say(red(`   ⚡ kill -9: the node that ran the task (process ${killedPid}) died in step ${step}, during a tool call.`))
  say(green(`   ↻ Another node (process ${newPid}) has it after ${durationOf(awayMs)}. The task goes on there:`))
}

/** One line on what was shown; nothing is claimed that was not. */
function sayProven({ killedPid }: Crash, problem: string | null): void {
  if (problem !== null) return
  say()
  say(
    bold(
      `Result: process ${killedPid} was killed mid-task. The task still completed, and the shop has exactly one order.`,
    ),
  )
}

/** A browser's token, for one that connects to any node. */
async function registered(url: string, pairingToken: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ pairing_token: pairingToken })
  const answer = await fetch(`${url}/v1/browser-sessions/register`, { method: 'POST', headers, body })
  return ((await answer.json()) as { session_token: string }).session_token
}

async function connected({ browsers }: BrowserTasks, interrupted: AbortSignal): Promise<string> {
  try {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(CONNECT_MS_MAX)])
    return (await browsers.connected({ signal })).id
  } catch (error) {
    if (interrupted.aborted) throw new Failed('Interrupted.')
    throw (error as Error).name === 'TimeoutError' ? new Failed('The browser did not connect to the service.') : error
  }
}

async function keepScreenshots({ tasks }: BrowserTasks, { id }: Task, folder: string): Promise<string> {
  const steps = new Set<number>()
  for await (const { step, status } of tasks.steps(id)) if (status === 'screenshot') steps.add(step)
  if (steps.size === 0) return 'none were taken'
  await mkdir(folder, { recursive: true })
  for (const step of steps) {
    const image = await tasks.screenshot(id, step)
    if (image) await writeFile(join(folder, `step-${String(step).padStart(2, '0')}.jpg`), image.stream())
  }
  return folder
}

/** What is wrong with the answer by the shop's own books; `null` when it is right. */
function wrongWith(task: Task, shop: Shop): string | null {
  const [order, another] = shop.orders
  const answer = task.answer ?? ''
  if (!order) return 'The shop has no order.'
  if (another) return `The shop has ${shop.orders.length} orders instead of one.`
  const total = expectedTotal(shopGoods())
  if (order.totalCents !== total) return `The order's total is ${money(order.totalCents)} instead of ${money(total)}.`
  if (!answer.includes(order.number)) return `The answer does not name the order ${order.number}.`
  if (!answer.includes(money(total).slice(1))) return `The answer does not name the total ${money(total)}.`
  return null
}

function sayNext(problem: string | null, scripted: boolean): void {
  say()
  if (problem !== null) say(red(`The answer is wrong. ${problem}`))
  else say("The shop's order records match.")
  say()
  if (scripted) {
    say('Next, with a language model:')
    say(
      `  ANTHROPIC_API_KEY=… npx browser-task-service demo "What is the top story?" --url https://news.ycombinator.com`,
    )
  } else say('Next, a task of your own:  npx browser-task-service demo "<task>" --url <page> --headed')
  say(
    dim('  npx browser-task-service serve runs the service itself; a first request to it is on its page /docs/start.'),
  )
}
