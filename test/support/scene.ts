import { randomUUID } from 'node:crypto'
import { createTaskService, type RunningTaskService } from '../../actors/create-task-service.ts'
import type { Clock, OutgoingFrame, Ports, Webhook } from '../../actors/runtime/ports.ts'
import type { StartAnswer, TaskView } from '../../actors/task-service.ts'
import { DAY_MS } from '../../machines/limits.ts'
import type { SessionRecord, TaskRecord } from '../../machines/records.ts'
import { SceneBrowser } from './scene/browser.ts'
import { inAMoment, SceneClock, settled } from './scene/clock.ts'
import { quietLog } from './scene/log.ts'
import { SceneModel } from './scene/model.ts'
import { SceneScripts } from './scene/scripts.ts'
import type { StartFields } from './scene/start-fields.ts'
import { SceneStore } from './scene/store.ts'
import { aSession, THEN } from './stores.ts'
import { noWebhook } from './webhook-memory.ts'

export * from './scene/browser.ts'
export * from './scene/clock.ts'
export * from './scene/log.ts'
export * from './scene/model.ts'
export * from './scene/start-fields.ts'
export * from './scene/store.ts'
export { THEN }

/**
 * A service on ports of the test's own: the taskService and the actors are real, the store, the model, the browsers and the
 * time are the scene's. `crash` cuts the service off as `kill -9` does, `open` begins another one over the same store.
 */
export class Scene {
  readonly clock = new SceneClock(THEN)
  readonly store = new SceneStore()
  readonly model = new SceneModel()
  readonly workspaceId = randomUUID()
  readonly browsers: SceneBrowser[] = []
  readonly webhooks: { url: string; body: object }[] = []
  readonly lines = quietLog()
  /** Thrown by the named port when it is used: `outbox.send`, `tools.check`, `webhook.post`. */
  broken = new Set<string>()
  billing: Ports['billing'] = null
  /** The tools as models are offered them; `null`: none are, and all calls are let through. */
  tools: Ports['tools'] | null = null
  siteNotes: NonNullable<Ports['siteNotes']> = () => null
  secrets: NonNullable<Ports['secrets']> | null = null
  readonly scripts = new SceneScripts()
  ownPool: NonNullable<Ports['ownPool']> | null = null
  sweepsAll = true
  /** Called before each frame leaves. */
  onFrame: (frame: OutgoingFrame) => void = () => {}
  /** What an endpoint answers. */
  deliver: Webhook['deliver'] = noWebhook.deliver
  /** Resolves when a webhook has answered. */
  onWebhook: () => Promise<void> = async () => {}
  #opened: RunningTaskService | null = null
  #cut: () => void = () => {}

  get opened(): RunningTaskService {
    if (!this.#opened) throw new Error('No service is open')
    return this.#opened
  }
  get taskService() {
    return this.opened.taskService
  }
  get system() {
    return this.opened.system
  }

  /** Opens a service over what is kept, and starts it. */
  async open(): Promise<this> {
    const { store, cut } = this.store.connect()
    const { clock, dead } = this.#mortalClock()
    this.#cut = () => {
      dead()
      cut()
    }
    const options = { retentionDays: 30, later: inAMoment, sweepsAll: this.sweepsAll }
    this.#opened = createTaskService(this.#ports(store, clock), options)
    await this.#opened.start()
    return this
  }

  /** Ends the service as `kill -9` does: nothing of it reaches the store, the browsers or the clock any more. */
  crash(): void {
    this.#cut()
    for (const browser of this.browsers) browser.socketId = null
    this.#opened = null
    this.model.waiting = []
  }

  async reopen(): Promise<this> {
    this.crash()
    return this.open()
  }

  /** A paired browser, connected unless it is told otherwise. */
  browser(protocol: 1 | 2 = 2, fields: Partial<SessionRecord> = {}, connected = true): SceneBrowser {
    const workspaceId = this.workspaceId
    const record = aSession({ workspaceId, expiresAt: this.clock.now() + 30 * DAY_MS, ...fields })
    this.store.sessions.set(record.id, record)
    const browser = new SceneBrowser(record, protocol, () => this.taskService)
    this.browsers.push(browser)
    return connected ? browser.connect() : browser
  }

  start(browser: SceneBrowser | string, fields: StartFields = {}): Promise<StartAnswer> {
    const { door = 'http', requestId = null, workspaceId = this.workspaceId, ...others } = fields
    const { apiKeyId = workspaceId, waiting, secrets, fingerprints, taskId, reads, ...request } = others
    return this.taskService.startTask({
      door,
      workspaceId,
      apiKeyId,
      requestId,
      request: {
        task: 'Buy tea',
        url: null,
        context: null,
        webhookUrl: null,
        browserSessionId: typeof browser === 'string' ? browser : browser.record.id,
        ...request,
      },
      ...(waiting ? { waiting } : {}),
      ...(secrets ? { secrets } : {}),
      ...(fingerprints ? { fingerprints } : {}),
      ...(taskId ? { taskId } : {}),
      ...(reads ? { reads } : {}),
    })
  }

  /** Starts a task that is granted. */
  async task(browser: SceneBrowser, fields: StartFields = {}): Promise<string> {
    const answer = await this.start(browser, fields)
    if (!answer.ok) throw new Error(`Refused: ${answer.refusal.message}`)
    await settled()
    return answer.task.id
  }

  async view(taskId: string): Promise<TaskView> {
    const view = await this.taskService.task(this.workspaceId, taskId)
    if (!view) throw new Error(`No task ${taskId}`)
    return view
  }

  async stateOf(taskId: string): Promise<string> {
    return (await this.view(taskId)).state
  }

  record(taskId: string): TaskRecord {
    const record = this.store.tasks.get(taskId)
    if (!record) throw new Error(`No record of ${taskId}`)
    return record
  }

  /** Lets everything happen that needs no timer; fails when the task is not in the state then. */
  async reaches(taskId: string, state: string): Promise<void> {
    await settled()
    const now = await this.stateOf(taskId)
    if (now !== state) throw new Error(`Task is ${now}, not ${state}`)
  }

  /** How many actors of a actorKind live. */
  count(actorKind: Parameters<RunningTaskService['system']['registry']['count']>[0]): number {
    return this.system.registry.count(actorKind)
  }

  #ports(store: Ports['store'], clock: Clock): Ports {
    const broken = (name: string) => {
      if (this.broken.has(name)) throw new Error(`${name} is broken`)
    }
    const opened = () => this.#opened
    let mine: RunningTaskService | null = null
    const alive = () => {
      mine ??= opened()
      return mine === null || mine === opened()
    }
    return {
      store,
      clock,
      model: this.model,
      log: this.lines.log,
      billing: this.billing,
      siteNotes: this.siteNotes,
      secrets: this.secrets,
      scripts: this.scripts,
      ownPool: this.ownPool,
      ids: { uuid: randomUUID },
      tools: this.tools ?? {
        specs: () => [],
        misfit: async () => null,
        check: (tool, input) => {
          broken('tools.check')
          return tool === 'unknown'
            ? { ok: false, message: 'There is no tool “unknown”.' }
            : { ok: true, input: input as Record<string, unknown> }
        },
      },
      outbox: {
        send: (sessionId, frame) => {
          if (!alive()) return false
          broken('outbox.send')
          this.onFrame(frame)
          const browser = this.browsers.find(({ record, socketId }) => record.id === sessionId && socketId !== null)
          browser?.receive(structuredClone(frame))
          return browser !== undefined
        },
        close: (sessionId, socketId, code) => {
          if (!alive()) return
          broken('outbox.close')
          for (const browser of this.browsers) {
            if (browser.record.id !== sessionId) continue
            browser.closed.push({ socketId: socketId ?? 'any', code })
            if (socketId === null || browser.socketId === socketId) browser.disconnect()
          }
        },
      },
      webhook: {
        post: async (url, body) => {
          broken('webhook.post')
          if (!alive()) return
          this.webhooks.push({ url, body })
          await this.onWebhook()
        },
        deliver: (...to) => (alive() ? this.deliver(...to) : new Promise(() => {})),
      },
    }
  }

  /** The scene's time, until the service is dead: then its timers never fire. */
  #mortalClock(): { clock: Clock; dead: () => void } {
    const timers = new Set<unknown>()
    let alive = true
    return {
      clock: {
        now: () => this.clock.now(),
        setTimeout: (fire, ms) => {
          if (!alive) return null
          const id = this.clock.setTimeout(() => {
            timers.delete(id)
            fire()
          }, ms)
          timers.add(id)
          return id
        },
        clearTimeout: (id) => {
          timers.delete(id)
          this.clock.clearTimeout(id)
        },
      },
      dead: () => {
        alive = false
        for (const id of timers) this.clock.clearTimeout(id)
      },
    }
  }
}

/** A service that is open. */
export const aScene = (prepare: (scene: Scene) => void = () => {}): Promise<Scene> => {
  const scene = new Scene()
  prepare(scene)
  return scene.open()
}
