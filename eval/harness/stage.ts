import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { stepWords } from '../../machines/recipe-play.ts'
import { type Again, type Inputs, Journal, NO_INPUTS, type Recorded, versionOf } from '../recipes.ts'
import { valueIn } from './inspect.ts'
import { freePort } from './ports.ts'
import { chromeWithPort, type Running, startCli } from './process.ts'
import { openRelay, type Relay } from './relay.ts'
import { html, type Origins, openSite, type Serve, type Site } from './site.ts'
import { type EvalTask, Unsolved } from './task.ts'
import { type Heard, type Timings, Tools } from './tools.ts'

const TASK_MS_MAX = 120_000

/** How one run of a task ended. */
export interface Outcome {
  readonly name: string
  readonly about: string
  readonly ok: boolean
  readonly why: string
  readonly calls: number
  readonly chars: number
  readonly ms: number
}

/** A browser of the version under measurement, and a site with the pages. */
export interface Stage {
  readonly timings: Timings
  /** The port over which the state of its browser can be looked at. */
  readonly port: number
  run(task: EvalTask, heard?: Heard): Promise<Outcome>
  /** Has the solver do it, and keeps what it did as the service would. */
  recorded(task: EvalTask): Promise<Recorded>
  /** Plays the recipe of what was done, on pages of its own; `moved` are further addresses that are others there. */
  played(
    task: EvalTask,
    recorded: Recorded,
    inputs?: Inputs,
    moved?: readonly (readonly [was: string, is: string])[],
  ): Promise<{ readonly how: Again; readonly why: string }>
  /** What the page of a task asks for. */
  goalOf(task: EvalTask): Promise<string>
  close(): Promise<void>
}

/** @param root the folder of the version whose browser is started, through its own command line. */
export async function openStage(root: string, verbose: boolean): Promise<Stage> {
  const port = await freePort()
  const [chrome, relay, site] = await Promise.all([chromeWithPort(port), openRelay(), openSite()])
  const browser = startCli(root, ['browser', '--url', relay.url, '--token', `svc_pair_${'0'.repeat(64)}`], {
    CHROME_PATH: chrome.path,
  })
  await Promise.race([relay.connected(), browser.said(/never/)])
  return new OpenStage(port, relay, site, browser, chrome.remove, verbose)
}

const GOAL_LOOKS_MAX = 40

class OpenStage implements Stage {
  readonly timings: Timings = new Map()
  readonly port: number
  readonly #relay: Relay
  readonly #site: Site
  readonly #browser: Running
  readonly #remove: () => Promise<void>
  readonly #verbose: boolean

  constructor(port: number, relay: Relay, site: Site, browser: Running, remove: () => Promise<void>, verbose: boolean) {
    this.port = port
    this.#relay = relay
    this.#site = site
    this.#browser = browser
    this.#remove = remove
    this.#verbose = verbose
  }

  async run(task: EvalTask, heard?: Heard): Promise<Outcome> {
    const opened = this.#opened(task)
    const { run, taskId, origins } = opened
    const tools = new Tools(this.#relay, taskId, origins, this.timings, this.#verbose ? console.log : null, heard)
    let why = ''
    const started = performance.now()
    try {
      await within(task.solve(tools))
      why = await this.#wrongWith(task, run)
    } catch (error) {
      why = error instanceof Error ? error.message : String(error)
      if (!(error instanceof Unsolved) && error instanceof Error) why = `${error.name}: ${why}`
    }
    this.#closed(opened)
    const { calls, chars } = tools.spent
    const ms = performance.now() - started
    return { name: task.name, about: task.about, ok: why === '', why, calls, chars, ms }
  }

  async recorded(task: EvalTask): Promise<Recorded> {
    const opened = this.#opened(task)
    const { taskId, origins, run } = opened
    const journal = new Journal(this.#relay, taskId)
    const tools = new Tools(journal.recording, taskId, origins, new Map(), null)
    const why = await within(task.solve(tools)).then(
      () => this.#wrongWith(task, run),
      (error: unknown) => String(error),
    )
    this.#closed(opened)
    const goal = task.goal === undefined ? task.about : await this.goalOf(task)
    return { entries: journal.entries, origins, goal, why }
  }

  async played(
    task: EvalTask,
    { entries, origins: was, goal }: Recorded,
    { before, now }: Inputs = NO_INPUTS,
    moved: Parameters<Stage['played']>[3] = [],
  ): ReturnType<Stage['played']> {
    const opened = this.#opened(task)
    const { run, taskId, origins: is } = opened
    const version = versionOf(entries, before, goal, [[was.own, is.own], [was.other, is.other], ...moved])
    try {
      if (version === null) return { how: 'nothing to play', why: '' }
      const { end, found } = await new Journal(this.#relay, taskId).play(version, now)
      if (end === 'handed over') {
        const isSpoilt = task.spoilt !== undefined && (await valueIn(this.port, `r${run}.`, task.spoilt)) === true
        return { how: isSpoilt ? 'wrong' : end, why: found }
      }
      const wrong = await this.#wrongWith(task, run)
      if (wrong === '') return { how: end, why: '' }
      return { how: 'wrong', why: `${wrong}; ${version.steps.map((step) => stepWords(step, now)).join('; ')}` }
    } finally {
      this.#closed(opened)
    }
  }

  async goalOf(task: EvalTask): Promise<string> {
    const opened = this.#opened(task)
    const { run, taskId, origins } = opened
    await this.#relay.call(taskId, 'navigate', { url: origins.own })
    const asked = `document.readyState === 'complete' ? ${task.goal ?? 'document.title'} : ''`
    let goal = ''
    // A page may write its task only once it has loaded.
    for (let look = 0, before = ''; look < GOAL_LOOKS_MAX && (goal === '' || goal !== before); look += 1) {
      before = goal
      await new Promise((resolve) => setTimeout(resolve, 250))
      goal = String(await valueIn(this.port, `r${run}.`, asked))
    }
    this.#closed(opened)
    return goal
  }

  #opened(task: EvalTask) {
    const run = randomBytes(4).toString('hex')
    return { run, taskId: randomUUID(), origins: this.#site.add(run, task.serve ?? serveOf(task)) }
  }

  #closed({ run, taskId }: { readonly run: string; readonly taskId: string }): void {
    this.#relay.ended(taskId)
    this.#site.remove(run)
  }

  /** What is wrong with the pages of a run after its task; nothing when all is as it should be. */
  async #wrongWith(task: EvalTask, run: string): Promise<string> {
    const why = (await task.verify?.()) ?? ''
    if (why !== '' || task.check === undefined) return why
    const value = await settledValue(this.port, run, task.check)
    return value === true ? '' : `the page says ${JSON.stringify(value)} to ${task.check}`
  }

  async close(): Promise<void> {
    await this.#browser.end()
    await Promise.all([this.#relay.close(), this.#site.close(), this.#remove()])
  }
}

/** What the last action leads to may come a moment after its answer: it is looked at for a second. */
async function settledValue(port: number, run: string, expression: string): Promise<unknown> {
  let value: unknown
  for (let look = 0; look < 5 && value !== true; look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, 250))
    value = await valueIn(port, `r${run}.`, expression)
  }
  return value
}

async function within(solving: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Unsolved(`not done within ${TASK_MS_MAX / 1000} s`)), TASK_MS_MAX)
  })
  try {
    await Promise.race([solving, late])
  } finally {
    clearTimeout(timer)
    solving.catch(() => {})
  }
}

const HEAD = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'

/** Serves what a task says: its page at `/`, its further paths, `/other/…` alike on the other site. */
export function serveOf({ page = '', paths = {} }: Pick<EvalTask, 'page' | 'paths'>): Serve {
  const filled = (text: string, { own, other }: Origins) =>
    (/^\s*<(!doctype|html)/i.test(text) ? text : HEAD + text).replaceAll('{{own}}', own).replaceAll('{{other}}', other)
  return (request, response, origins) => {
    const path = pathOf(request)
    const found = path === '/' ? (paths['/'] ?? page) : paths[path]
    if (found === undefined) response.writeHead(404).end()
    else if (typeof found === 'string') html(response, filled(found, origins))
    else found(request, response, origins)
  }
}

export const pathOf = (request: IncomingMessage): string => new URL(request.url ?? '/', 'http://site').pathname
