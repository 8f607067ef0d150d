import { joined } from '../events/joined.ts'
import { LIVE_WANTED_MS } from '../limits.ts'
import type { Clock } from '../runtime/ports.ts'
import type { Messages } from './messages.ts'

/** Sees a picture of the tab, a JPEG in base64. */
type See = (jpeg: string) => void

/** Who looks at the tabs of the browsers that are connected to this process. */
export interface LiveTabs {
  refusal(taskId: string, sessionId: string): 'no_live_view' | 'too_many_viewers' | null
  /** Gives what ends it. */
  watch(taskId: string, sessionId: string, see: See): () => void
}

/** A viewer at a node wants to see a tab, still wants to, or no more. */
interface Wish {
  readonly viewer: 'comes' | 'stays' | 'goes'
  readonly node: string
  readonly taskId: string
  readonly sessionId: string
}

export interface LiveOptions {
  readonly node: string
  readonly clock: Clock
  readonly messages: Messages
  readonly isHere: (sessionId: string) => boolean
}

/** [M12] The tabs of tasks for viewers at any node: they ask the node of the browser for its pictures again and again. */
export class Live {
  readonly #options: LiveOptions
  readonly #viewers = new Map<string, Set<See>>()
  /** What is sent to other nodes, by node and task. */
  readonly #sent = new Map<string, { readonly timer: unknown; readonly end: () => void }>()
  #tabs: LiveTabs | null = null

  constructor(options: LiveOptions) {
    this.#options = options
  }

  serve(): void {
    const { messages, node } = this.#options
    messages.serve('live', (wish: Wish) => this.#wished(wish))
    messages.serve(`${node}.live`, ({ taskId, jpeg }: { taskId: string; jpeg: string }) => {
      for (const see of this.#viewers.get(taskId) ?? []) see(jpeg)
    })
  }

  /** The tabs of all nodes, given those of this one. */
  ofAll(tabs: LiveTabs): LiveTabs {
    const { messages, node, clock, isHere } = this.#options
    this.#tabs = tabs
    return {
      refusal: (taskId, sessionId) => tabs.refusal(taskId, sessionId),
      watch: (taskId, sessionId, see) => {
        const [leave, end] = [tabs.watch(taskId, sessionId, see), joined(this.#viewers, taskId, see)]
        const tell = (viewer: Wish['viewer']) =>
          messages.tell('live', { viewer, node, taskId, sessionId } satisfies Wish)
        let timer: unknown
        const ask = (viewer: 'comes' | 'stays') => {
          if (!isHere(sessionId)) tell(viewer)
          timer = clock.setTimeout(() => ask('stays'), LIVE_WANTED_MS / 2)
        }
        ask('comes')
        return () => {
          clock.clearTimeout(timer)
          leave()
          end()
          if (!this.#viewers.has(taskId)) tell('goes')
        }
      },
    }
  }

  #wished({ viewer, node, taskId, sessionId }: Wish): void {
    const { messages, clock, isHere } = this.#options
    if (node === this.#options.node || !this.#tabs) return
    const key = `${node} ${taskId}`
    const before = this.#sent.get(key)
    if (before) clock.clearTimeout(before.timer)
    this.#sent.delete(key)
    if (viewer === 'goes' || !isHere(sessionId)) {
      before?.end()
      return
    }
    let end = before?.end
    if (!end || viewer === 'comes') {
      // Who comes later sees a page that does not change, too.
      const next = this.#tabs.watch(taskId, sessionId, (jpeg) => messages.tell(`${node}.live`, { taskId, jpeg }))
      end?.()
      end = next
    }
    const ended = end
    const timer = clock.setTimeout(() => {
      this.#sent.delete(key)
      ended()
    }, LIVE_WANTED_MS)
    this.#sent.set(key, { timer, end: ended })
  }
}
