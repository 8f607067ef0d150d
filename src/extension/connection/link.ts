import { ANSWERS_INPUTS } from '../../../machines/input-request.ts'
import { RelayClient } from '../../browser/relay-client.ts'
import { shrinkJpeg } from '../../browser/shrink.ts'
import { ANNOUNCED } from '../../browser/task-tabs.ts'
import type { ToBrowser } from '../../wire/relay.ts'
import type { Journal } from '../journal.ts'
import { ANSWER_MS_MAX, THUMBNAIL_WIDTH_PX } from '../limits.ts'
import type { FromOwnPage, NewTask } from '../messages.ts'
import { isPanelOpen } from '../panel-state.ts'
import { forgetPairing, keepPairing, type Pairing, readPairing, relayAddress } from '../settings.ts'
import type { Driver } from '../tabs/driver.ts'
import type { Holds } from '../tabs/holds.ts'
import type { InputWindows } from './approval-windows.ts'
import { sessionCalls } from './call-storage.ts'

/** Set while another browser has the session: this one does not take it back by itself. */
const REPLACED = 'replaced'
const NOT_CONNECTED = 'This browser is not connected to its service.'
const NO_ANSWER = 'The service did not answer. Try again.'

/** The connection to the service that this browser is paired with, if it is. */
export class Link {
  readonly #driver: Driver
  readonly #journal: Journal
  readonly #holds: Holds
  readonly #windows: InputWindows
  #client: RelayClient | null = null
  #pairing: Pairing | null = null
  #named: ((workspace: string | null) => void) | null = null
  /** What waits for its answer, by the names that the answer has. */
  readonly #asked = new Map<string, (error: string | null) => void>()
  /** Changes of the pairing come one after the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(driver: Driver, journal: Journal, holds: Holds, windows: InputWindows) {
    this.#driver = driver
    this.#journal = journal
    this.#holds = holds
    this.#windows = windows
  }

  /** Connects when it is paired and not connected; nothing else has to be done to wake it. */
  wake(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#client) return this.#client.wake()
      const { [REPLACED]: replaced } = await chrome.storage.session.get(REPLACED)
      const pairing = await readPairing()
      if (pairing && !replaced) await this.#connect(pairing)
      else if (!pairing) this.#journal.note({ connection: 'unpaired', origin: null, workspace: null })
    })
  }

  /** Takes the session back from the browser that took it over. */
  async connect(): Promise<void> {
    await chrome.storage.session.remove(REPLACED)
    await this.wake()
  }

  /**
   * In the place of an earlier pairing. `named` hears of the workspace once the service has said which it is: perhaps
   * before this resolves.
   */
  pair(pairing: Pairing, named: (workspace: string | null) => void): Promise<void> {
    return this.#inTurn(async () => {
      await this.#disconnect()
      await chrome.storage.session.remove(REPLACED)
      await keepPairing(pairing)
      this.#named = named
      await this.#connect(pairing)
    })
  }

  forget(notice: string | null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#disconnect()
      await forgetPairing()
      this.#journal.note({ connection: 'unpaired', origin: null, workspace: null, notice })
    })
  }

  /** Resolves once the service has begun it: to why not, or `null`. */
  startTask(task: NewTask): Promise<string | null> {
    return this.#ask({ type: 'create_task', browserSessionId: this.#pairing?.sessionId, ...task })
  }

  /** [I9] Resolves once it counts: to why not, or `null`. */
  answerInput({ forTask, ...answer }: Extract<FromOwnPage, { type: 'input' }>): Promise<string | null> {
    const { taskId, inputId, action, content } = answer
    const more = forTask ? { for: 'task' } : {}
    return this.#ask({ type: 'answer_input', taskId, inputId, action, content, ...more }, inputId)
  }

  /** [I1] Resolves once the task has it: to why not, or `null`. */
  async say(taskId: string, text: string): Promise<string | null> {
    const error = await this.#ask({ type: 'send_message', taskId, text })
    if (error === null) this.#journal.said(taskId, text)
    return error
  }

  /** Asks for the list of tasks. */
  refresh(): string | null {
    return this.#send({ type: 'list_tasks', requestId: crypto.randomUUID() })
  }

  setPaused(taskId: string, paused: boolean): string | null {
    return this.#send({ type: paused ? 'pause_task' : 'resume_task', requestId: crypto.randomUUID(), taskId })
  }

  stopTask(taskId: string): string | null {
    return this.#send({ type: 'cancel_task', requestId: crypto.randomUUID(), taskId })
  }

  /** Resolves to the error that the service answers with, or `null`. `also`: what else of its answer names this. */
  #ask(frame: object, also?: string): Promise<string | null> {
    const requestId = crypto.randomUUID()
    const names = also === undefined ? [requestId] : [requestId, also]
    return new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => settle(NO_ANSWER), ANSWER_MS_MAX)
      const settle = (error: string | null) => {
        clearTimeout(timer)
        for (const name of names) this.#asked.delete(name)
        resolve(error)
      }
      for (const name of names) this.#asked.set(name, settle)
      if (this.#send({ ...frame, requestId }) !== null) settle(NOT_CONNECTED)
    })
  }

  #answered(frame: ToBrowser): void {
    const name = frame.type === 'input_answered' ? frame.inputId : 'requestId' in frame ? frame.requestId : null
    const isRefusal = frame.type === 'error' || frame.type === 'task_error'
    this.#asked.get(name ?? '')?.(isRefusal ? frame.error : null)
  }

  #send(frame: object): string | null {
    return this.#client?.send(frame) ? null : NOT_CONNECTED
  }

  async #connect(pairing: Pairing): Promise<void> {
    const { origin, sessionToken } = pairing
    this.#pairing = pairing
    this.#journal.note({ connection: 'connecting', origin })
    const client = await RelayClient.start({
      url: relayAddress(origin),
      sessionToken,
      WebSocket,
      storage: sessionCalls(chrome.storage.session),
      execute: (call, signal) => this.#driver.execute(call, signal),
      tools: [...ANNOUNCED, ANSWERS_INPUTS],
      shows: {
        tabOf: (taskId) => this.#driver.shownTab(taskId),
        seen: (taskId, jpeg) => void this.#seen(taskId, jpeg).catch(() => {}),
      },
      taskEnded: (taskId) => void this.#ended(taskId),
      onFrame: (frame) => void this.#heard(frame),
      onState: (state) => {
        if (state !== 'closed') this.#journal.note({ connection: state })
      },
      log: () => {},
    })
    this.#client = client
    void client.stopped.then(({ why, message }) => {
      if (this.#client !== client) return
      this.#client = null
      // A token that is not taken any more is of no use to anyone: nothing secret is kept.
      if (why === 'refused' || why === 'revoked') return this.forget(message)
      if (why !== 'replaced') return
      this.#journal.note({ connection: 'stopped', notice: 'Another browser took over this session.' })
      void this.#letGo()
      return chrome.storage.session.set({ [REPLACED]: true })
    })
  }

  /** The pairing has ended: running calls are abandoned, and what was shown of them is removed. */
  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = null
    this.#pairing = null
    this.#named = null
    client?.close()
    await this.#letGo()
    this.#journal.clear()
  }

  async #letGo(): Promise<void> {
    for (const taskId of await this.#driver.tasks()) await this.#ended(taskId)
  }

  async #heard(frame: ToBrowser): Promise<void> {
    this.#journal.heard(frame)
    this.#answered(frame)
    if (frame.type === 'registered') {
      const { workspace = null } = frame
      this.#journal.note({ connection: 'connected', workspace, notice: null })
      this.#named?.(workspace)
      this.#named = null
      this.refresh()
    }
    // Its window reads what it asks from where the panel does.
    if (frame.type === 'input_requested' || frame.type === 'tasks') await this.#journal.saved()
    if (frame.type === 'input_requested') await this.#windows.ask(frame.taskId, frame.request)
    if (frame.type !== 'tasks') return
    for (const { taskId, status, pausedBy = [], input } of frame.tasks) {
      if (status === 'running' && input) await this.#windows.ask(taskId, input)
      const hold = await this.#holds.of(taskId)
      // It ended while this browser was not connected.
      if (status !== 'running') await this.#ended(taskId)
      // What the user wanted while there was no connection, and what a service that was started again does not know.
      else if (hold === 'stopping') this.stopTask(taskId)
      else if (pausedBy.includes('browser') !== (hold === 'user')) this.setPaused(taskId, hold === 'user')
    }
  }

  /** The picture that the service gets is the panel's, too, while one is open. */
  async #seen(taskId: string, jpeg: string): Promise<void> {
    if (await isPanelOpen())
      this.#journal.seen(taskId, await shrinkJpeg({ jpeg, width: THUMBNAIL_WIDTH_PX, quality: 50 }))
  }

  async #ended(taskId: string): Promise<void> {
    const keepOpen = (await this.#holds.of(taskId)) === 'user'
    await this.#holds.clear(taskId)
    await this.#driver.end(taskId, keepOpen).catch(() => {})
  }

  #inTurn(work: () => void | Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
