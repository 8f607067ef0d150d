import type { CdpSession, FrameTree } from './cdp.ts'
import { makeWorld, type World } from './isolated-world.ts'
import type { Call } from './page.ts'
import type { RefCounter } from './refs.ts'

/** A frame of the page: the main one, or one inside it, of the same site or of another. */
export interface PageFrame {
  readonly id: string
  /** In the references of its elements; `null` for the main frame. Another document in the frame has another number. */
  readonly number: number | null
  /** That the frame is reached through: the tab's own, or that of the cross-site frame which it is or is inside of. */
  readonly session: CdpSession
  readonly parent: PageFrame | null
  readonly url: string
  readonly loaderId: string
}

/** What the protocol says when the document of a world is gone. */
const GONE = /Cannot find context|context was destroyed|Frame with the given id|No frame (with|for) given id|detached/i

/**
 * The frames of a page, and in each an isolated world for our scripts: they see the page's elements, and nothing that
 * the page's own scripts have changed.
 */
export class Frames {
  readonly #counter: RefCounter
  #known: readonly PageFrame[] = []
  /** By frame and load. */
  readonly #numbers = new Map<string, number>()
  readonly #worlds = new Map<string, Promise<World>>()

  constructor(counter: RefCounter) {
    this.#counter = counter
  }

  /** The frames that there are now, outer before inner. */
  async list(call: Call): Promise<readonly PageFrame[]> {
    const { cdp } = call.page
    const sessions = [cdp, ...(await cdp.frameSessions())]
    const trees = await Promise.all(sessions.map((session) => treeOf(call, session, session === cdp)))
    const frames = new Map<string, PageFrame>()
    // The session of a frame may be told before that of the frame around it.
    let left = trees.filter((tree) => tree !== null)
    for (let count = -1; left.length > 0 && left.length !== count; ) {
      count = left.length
      left = left.filter((tree) => !this.#add(frames, tree))
    }
    this.#known = [...frames.values()]
    this.#forget()
    return this.#known
  }

  /** The main frame. */
  async main(call: Call): Promise<PageFrame> {
    const frames = this.#known.length > 0 ? this.#known : await this.list(call)
    const main = frames[0]
    if (main?.loaderId === call.page.loading.loaderId) return main
    const [now] = await this.list(call)
    if (!now) throw new Error('The page has no main frame')
    return now
  }

  /** The frame with this number, as they were listed last. */
  known(number: number): PageFrame | null {
    return this.#known.find((frame) => frame.number === number) ?? null
  }

  withId(id: string): PageFrame | null {
    return this.#known.find((frame) => frame.id === id) ?? null
  }

  /** The frames directly in a frame, as they were listed last. */
  inside(frame: PageFrame): PageFrame[] {
    return this.#known.filter(({ parent }) => parent?.id === frame.id)
  }

  /** The frames that are reached through a session, as they were listed last. */
  inSession(session: CdpSession): PageFrame[] {
    return this.#known.filter((frame) => frame.session === session)
  }

  /** The frame whose refs have this number; `null` if it is gone. */
  async numbered(call: Call, number: number | null): Promise<PageFrame | null> {
    if (number === null) return this.main(call)
    return (await this.list(call)).find((frame) => frame.number === number) ?? null
  }

  /** The world of our scripts in the frame, with the reader in it. Rejects when the frame has gone. */
  world(call: Call, frame: PageFrame): Promise<World> {
    const key = keyOf(frame)
    const known = this.#worlds.get(key)
    if (known) return known
    const made = makeWorld(call, frame)
    this.#worlds.set(key, made)
    made.catch(() => this.#worlds.delete(key))
    return made
  }

  /** Does something in the frame's world; once more when the world that was known turns out to be gone. */
  async inWorld<T>(call: Call, frame: PageFrame, act: (world: World) => Promise<T>): Promise<T> {
    try {
      return await act(await this.world(call, frame))
    } catch (error) {
      if (call.signal.aborted || !isGone(error)) throw error
      this.#worlds.delete(keyOf(frame))
      return act(await this.world(call, frame))
    }
  }

  /** Whether the tree's place is known; its frames are added then. */
  #add(frames: Map<string, PageFrame>, { session, tree }: SessionTree): boolean {
    const { parentId } = tree.frame
    const outer = parentId === undefined ? null : frames.get(parentId)
    if (outer === undefined || (outer === null && frames.size > 0)) return false
    const walk = ({ frame, childFrames = [] }: FrameTree, parent: PageFrame | null) => {
      const { id, url, loaderId } = frame
      const added: PageFrame = { id, url, loaderId, session, parent, number: parent && this.#numberOf(id, loaderId) }
      frames.set(id, added)
      for (const child of childFrames) walk(child, added)
    }
    walk(tree, outer)
    return true
  }

  #numberOf(id: string, loaderId: string): number {
    const key = `${id} ${loaderId}`
    const number = this.#numbers.get(key) ?? this.#counter.nextFrame++
    this.#numbers.set(key, number)
    return number
  }

  #forget(): void {
    const keys = new Set(this.#known.map(keyOf))
    for (const key of this.#numbers.keys()) if (!keys.has(key)) this.#numbers.delete(key)
    for (const key of this.#worlds.keys()) if (!keys.has(key)) this.#worlds.delete(key)
  }
}

interface SessionTree {
  readonly session: CdpSession
  readonly tree: FrameTree
}

const keyOf = ({ id, loaderId }: PageFrame): string => `${id} ${loaderId}`

/** Whether an error says that the document in which something was to be done is gone. */
export const isGone = (error: unknown): boolean => error instanceof Error && GONE.test(error.message)

async function treeOf(call: Call, session: CdpSession, isMain: boolean): Promise<SessionTree | null> {
  try {
    return { session, tree: (await call.sendTo(session, 'Page.getFrameTree')).frameTree }
  } catch (error) {
    // A frame that went away since it was listed.
    if (call.signal.aborted || isMain) throw error
    return null
  }
}
