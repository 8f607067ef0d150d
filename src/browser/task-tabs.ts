import { CONFINES } from '../../machines/domains.ts'
import { type Gate, type Held, HOLDS, RELEASE } from '../../machines/held.ts'
import { type ActReport, type Guard, TELLS_TARGETS } from '../../machines/recipe.ts'
import {
  type NamedValue,
  NOTHING_TO_REDACT,
  type Redactor,
  redactorOf,
  secretValues,
} from '../../machines/redaction.ts'
import { FILLS_SECRETS, type FrameSecret } from '../../machines/secrets.ts'
import type { ExecuteTool } from '../wire/relay.ts'
import { ANNOUNCED_TOOLS } from '../wire/tools.ts'
import { type Cdp, ToolError } from './act/cdp.ts'
import { type Done, executeTool } from './act/execute.ts'
import { PATIENCE, type Patience } from './act/page.ts'
import { type Download, type FileSource, NO_FILES } from './files.ts'
import { executeGated } from './holds/execute.ts'
import { fitted } from './holds/fields.ts'
import type { PausedRequest } from './holds/paused.ts'
import { executeGuarded, reportReleased } from './recipe-guard.ts'
import { TaskTabs } from './task-windows.ts'
import { checkInput, checkPage } from './within-domains.ts'

/** `isThere`: the tab is still open, and `kept` attaches to it again. */
export type GoneListener = (why: string, isThere?: boolean) => void

/** A tab that a browser has opened and attached to. */
export interface HostTab {
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  /** Closes the tab. Never rejects. */
  close(): Promise<void>
  /** Once, when the tab is gone: closed by someone, crashed, or no longer ours to drive. `why` is a sentence. */
  onGone(listener: GoneListener): void
  /** A window or tab that this one opened, attached already. */
  onPopup(listener: (tab: HostTab) => void): void
  onDownload(listener: (download: Download) => void): void
  /** [I5] From here on each request of the tab, its frames and its workers waits until the listener has decided. */
  pauseRequests(listener: (request: PausedRequest) => void): Promise<void>
}

/** What a browser must be able to do for tasks. */
export interface TabHost {
  /** Opens an empty tab for a task in the background. Rejects with a ToolError when there can be none. */
  open(taskId: string): Promise<HostTab>
  /** The tabs that a task had before the driver was stopped, the one that was used last at the end. */
  /** Rejects with a ToolError when there are some, but none can be driven now. */
  kept?(taskId: string): Promise<readonly HostTab[]>
  /** Where its last tab was when it has lost all of them; `null`: it has some, or had none. */
  leftAt?(taskId: string): Promise<string | null>
}

export interface Executed {
  /** The tool's own sentences. */
  readonly said: string
  /** Words of the page: untrusted. */
  readonly content: string
  /** A JPEG in base64, or `null`. */
  readonly screenshot: string | null
  /** Identifies the state of the page; a different one means that something changed. `null` if the page was not read. */
  readonly fingerprint: string | null
  /** See `Done`. */
  readonly halts?: 'navigation' | 'dialog'
  /** The address of the page, as its model saw it last. */
  readonly url?: string
  /** [I5] What waits for its user's approval. */
  readonly held?: Held
  /** [J2] What was acted on. */
  readonly act?: ActReport
  readonly tab: { readonly tabId: number; readonly windowId: number }
}

/** What of a task is taken out of its answers. */
interface Secret {
  /** Those that were typed. */
  readonly secrets: readonly FrameSecret[]
  readonly values: ReadonlyMap<string, readonly NamedValue[]>
  readonly redactor: Redactor
}

export interface TabsOptions {
  readonly patience?: Patience
  /** References are counted from here: those of an earlier life of a tab must not come again. */
  readonly firstRef?: number
  /** Files that are given with tasks. */
  readonly files?: FileSource
  /** [Z16] The values that sign a task in now. Never rejects. */
  readonly profileOf?: (taskId: string) => Promise<readonly NamedValue[]>
}

/** All that a browser announces: its tools beside the seven, and what it can do for a task beside them. */
export const ANNOUNCED = [
  ...ANNOUNCED_TOOLS.map(({ name }) => name),
  CONFINES,
  FILLS_SECRETS,
  HOLDS,
  TELLS_TARGETS,
] as const

/** [I5] What the frame of a call says of approvals; `null` where it says nothing. */
export const gateOf = ({
  approvals,
  allowedShapes = [],
  intent,
}: Pick<ExecuteTool, 'approvals' | 'allowedShapes' | 'intent'>): Gate | null =>
  approvals === undefined ? null : { approvals, allowedShapes, ...(intent ? { intent } : {}) }

/** [J2] What the frame of a call says of recipes. */
export const guardOf = ({ guard }: Pick<ExecuteTool, 'guard'>): Guard | null => (guard as Guard | undefined) ?? null

/**
 * Tabs of its own for every task: the first is opened in the background on the task's first call, all are closed when
 * the task ends unless the user has taken them over. Calls of one task must come one after the other; tasks do not
 * disturb each other.
 */
export class Tabs {
  readonly #host: TabHost
  readonly #options: TabsOptions
  readonly #tasks = new Map<string, TaskTabs>()
  readonly #secret = new Map<string, Secret>()

  constructor(host: TabHost, options: TabsOptions = {}) {
    this.#host = host
    this.#options = options
  }

  /**
   * Throws a ToolError for the model to read, or the signal's reason. `domains`: the task is confined to these from its
   * first call on. `secrets`: those that the input names. `startsAt`: [I10] where the first tab of a task that has none yet
   * begins. `gate`: [I5] of a task with approvals. `guard`: [J2] of one that makes or plays a recipe.
   */
  async execute(
    taskId: string,
    tool: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    domains: readonly string[] | null = null,
    secrets: readonly FrameSecret[] = [],
    startsAt: string | null = null,
    gate: Gate | null = null,
    guard: Guard | null = null,
  ): Promise<Executed> {
    // A call may renew what is a value before it.
    await this.#redactorFor(taskId, secrets)
    try {
      const done = await this.#execute(taskId, tool, input, signal, domains, secrets, startsAt, gate, guard)
      const { value } = await this.#redactorFor(taskId, secrets)
      const { screenshot, held, ...words } = done
      const { id = '', terms = '' } = held ?? {}
      return { ...value(words), screenshot, ...(held ? { held: { ...fitted(value(held)), id, terms } } : {}) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const { text, value } = await this.#redactorFor(taskId, secrets)
      throw new ToolError(text(error.message), text(error.content), error.act && value(error.act))
    }
  }

  /**
   * [X6] For what was typed in the tabs of a task, as long as this browser remembers it; the service does so in any case.
   * [Z16] For the values of its profile, those among them that are no longer: sites renew them.
   */
  async #redactorFor(taskId: string, secrets: readonly FrameSecret[]): Promise<Redactor> {
    const ofProfile = (await this.#options.profileOf?.(taskId)) ?? []
    const known = this.#secret.get(taskId)
    const values = new Map(known?.values)
    const added = secrets.filter(({ value }) => !values.has(value))
    for (const each of added) values.set(each.value, secretValues([each], { [each.name]: each.value }, null))
    for (const each of ofProfile) if (!values.has(each.value)) values.set(each.value, [each])
    if (values.size === (known?.values.size ?? 0)) return known?.redactor ?? NOTHING_TO_REDACT
    const redactor = redactorOf([...values.values()].flat())
    this.#secret.set(taskId, { secrets: [...(known?.secrets ?? []), ...added], values, redactor })
    return redactor
  }

  async #execute(
    taskId: string,
    tool: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    domains: readonly string[] | null,
    secrets: readonly FrameSecret[],
    startsAt: string | null,
    gate: Gate | null,
    guard: Guard | null,
  ): Promise<Executed> {
    if (domains) checkInput(domains, input)
    const task = this.#taskFor(taskId, domains)
    if (gate) await task.gate(gate)
    // A tab that someone closed is not opened again behind their back, except to open a page anew.
    const opens = tool === 'navigate' || (tool === 'tabs' && input.action === 'open')
    if (task.isEmpty && (task.gone === null || opens)) await task.open(startsAt, opens, signal)
    const first = task.current
    if (task.replaced && tool !== 'tabs' && tool !== 'navigate') {
      task.replaced = false
      throw new ToolError(
        `The tab of this task was closed, so this was not done. Tab ${first.number} is the tab of this task now.`,
      )
    }
    task.replaced = false
    task.running(true)
    try {
      const until = AbortSignal.any([signal, first.lost])
      const run = (given: Record<string, unknown>) =>
        task.holds
          ? executeGated(task.holds, task, tool, given, until, secrets)
          : executeTool(task, tool, given, until, secrets)
      const running = guard ? this.#guarded(task, tool, input, guard, until, run) : run(input)
      const done: Done = await running.catch((error) => {
        // A click may well close its own window.
        if (signal.aborted || !first.lost.aborted || task.isEmpty) throw error
        return { said: 'Done. The window was closed by it.', content: '' }
      })
      const { host, number, page } = task.current
      if (domains && !done.held) await checkPage(host.cdp, domains)
      const replaced = !task.tabs.includes(first) && tool !== 'tabs'
      const closed = replaced ? `\nTab ${number} is the tab of this task now.` : ''
      return {
        said: done.said + closed,
        content: done.content,
        screenshot: done.screenshot ?? null,
        fingerprint: done.fingerprint ?? null,
        ...(done.halts ? { halts: done.halts } : {}),
        ...(done.held ? { held: done.held } : {}),
        ...(done.act ? { act: done.act } : {}),
        ...(page.shown ? { url: page.shown.tree.url } : {}),
        tab: { tabId: host.tabId, windowId: host.windowId },
      }
    } finally {
      task.running(false)
    }
  }

  /** [J7] What lets go of an act tells of that act. */
  async #guarded(
    task: TaskTabs,
    tool: string,
    input: Record<string, unknown>,
    guard: Guard,
    signal: AbortSignal,
    run: (input: Record<string, unknown>) => Promise<Done>,
  ): Promise<Done> {
    const { heldAct } = task
    const done =
      tool === RELEASE && heldAct
        ? await reportReleased(task, await run(input), heldAct, signal)
        : await executeGuarded(task, tool, input, guard, signal, run)
    task.heldAct = done.held && done.act ? { act: done.act, guard: heldAct?.guard ?? guard } : null
    return done
  }

  /** The tab that a task works in, if it has one. */
  tabOf(taskId: string): { tabId: number; windowId: number } | null {
    const host = this.#hostOf(taskId)
    return host ? { tabId: host.tabId, windowId: host.windowId } : null
  }

  /** The protocol of that tab. */
  protocolOf(taskId: string): Cdp | null {
    return this.#hostOf(taskId)?.cdp ?? null
  }

  /** [R60] The user has the task's tabs: they are attached to anew at its next call. */
  async release(taskId: string): Promise<void> {
    await this.#tasks.get(taskId)?.release()
  }

  /** The user works in the task's tab from now on: it stays open when the task ends. */
  takeOver(taskId: string): void {
    const task = this.#tasks.get(taskId)
    if (task) task.takenOver = true
  }

  /** The task has ended: its tabs are closed, unless the user has taken them over. */
  async end(taskId: string): Promise<void> {
    const task = this.#tasks.get(taskId)
    this.#tasks.delete(taskId)
    this.#secret.delete(taskId)
    await task?.closeAll()
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((taskId) => this.end(taskId)))
  }

  #hostOf(taskId: string): HostTab | null {
    const task = this.#tasks.get(taskId)
    return !task || task.isEmpty ? null : task.current.host
  }

  #taskFor(taskId: string, domains: readonly string[] | null): TaskTabs {
    const { patience = PATIENCE, firstRef = 1, files = NO_FILES } = this.#options
    const known = this.#tasks.get(taskId)
    const task =
      known ??
      new TaskTabs({
        taskId,
        host: this.#host,
        patience,
        refs: { next: firstRef, nextFrame: firstRef },
        files,
        domains,
        typed: () => this.#secret.get(taskId)?.secrets ?? [],
      })
    this.#tasks.set(taskId, task)
    return task
  }
}
