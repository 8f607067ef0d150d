import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Protocol } from 'devtools-protocol'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'

export type Target = Protocol.Target.TargetInfo

const START_MS_MAX = 40_000
const FOUND_MS_MAX = 20_000
/** A page whose navigation waits answers nothing. */
const ANSWER_MS_MAX = 3_000

/**
 * Sees from outside what a browser has open: the second client of its protocol, beside the extension. It attaches to nothing
 * for longer than a question takes, and neither answers dialogs nor pauses anything, as a test library would.
 */
export class Watcher {
  readonly #socket: WebSocket
  #nextId = 1
  readonly #answers = new Map<number, { resolve(result: object): void; reject(error: Error): void }>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, result, error } = JSON.parse(String(data))
      const answer = this.#answers.get(id)
      if (error) answer?.reject(new Error(error.message))
      else answer?.resolve(result)
    })
    socket.on('close', () => {
      for (const { reject } of [...this.#answers.values()]) reject(new Error('The browser has ended.'))
    })
    socket.on('error', () => {})
  }

  /** Of the browser that was started with this profile and `--remote-debugging-port=0`. */
  static async of(profile: string): Promise<Watcher> {
    let text = ''
    const isUp = async () => {
      text = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')
      return text.includes('\n')
    }
    await eventually(isUp, 'the browser to start', START_MS_MAX)
    const [port, path] = text.split('\n')
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return new Watcher(socket)
  }

  /** A command to the browser, or to a session of it. */
  send<Result = object>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => settle(() => reject(new Error(`${method} was not answered`))), ANSWER_MS_MAX)
      const settle = (answer: () => void) => {
        clearTimeout(late)
        this.#answers.delete(id)
        answer()
      }
      this.#answers.set(id, {
        resolve: (result) => settle(() => resolve(result as Result)),
        reject: (error) => settle(() => reject(error)),
      })
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }), (error) => {
        if (error) settle(() => reject(error))
      })
    })
  }

  /** Tabs, windows of extensions, workers and frames of other sites. */
  async targets(): Promise<Target[]> {
    const { targetInfos } = await this.send<Protocol.Target.GetTargetsResponse>('Target.getTargets', { filter: [{}] })
    return targetInfos.filter(({ type }) => type !== 'tab')
  }

  /** The first whose address has this in it, once there is one. */
  async target(part: string, ms = FOUND_MS_MAX): Promise<Target> {
    let found: Target | undefined
    const isThere = async () => {
      found = (await this.targets()).find(({ url }) => url.includes(part))
      return found !== undefined
    }
    await eventually(isThere, `something at ${part}`, ms)
    if (!found) throw new Error(`What was at ${part} is gone`)
    return found
  }

  /** Opens a tab in front. */
  async open(url: string): Promise<Target> {
    const { targetId } = await this.send<Protocol.Target.CreateTargetResponse>('Target.createTarget', { url })
    const found = (await this.targets()).find((each) => each.targetId === targetId)
    if (!found) throw new Error(`The tab for ${url} is gone`)
    return found
  }

  close = (target: Target): Promise<object> => this.send('Target.closeTarget', { targetId: target.targetId })

  /** The value of an expression in a page or worker; a promise is waited for, not long. */
  async value<Value = unknown>({ targetId }: Pick<Target, 'targetId'>, expression: string): Promise<Value> {
    const { sessionId } = await this.send<Protocol.Target.AttachToTargetResponse>('Target.attachToTarget', {
      targetId,
      flatten: true,
    })
    try {
      const { result, exceptionDetails } = await this.send<Protocol.Runtime.EvaluateResponse>(
        'Runtime.evaluate',
        { expression, awaitPromise: true, returnByValue: true, userGesture: false },
        sessionId,
      )
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result.value
    } finally {
      await this.send('Target.detachFromTarget', { sessionId }).catch(() => {})
    }
  }

  end(): void {
    this.#socket.terminate()
  }
}
