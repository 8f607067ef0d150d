import { shardOf } from '../../machines/placement.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { BUS_AWAY_MS_MAX, HEARD_EVERY_MS, MOVED_BROWSER_MS_MAX } from '../limits.ts'
import type { Outbox, OutgoingFrame } from '../runtime/ports.ts'
import { CLOSES } from '../session.ts'
import type { ConnectedSocket, PictureIn, TaskService, ToolResultIn } from '../task-service.ts'
import type { Messages } from './messages.ts'
import type { ClusterNode } from './node.ts'
import type { Router } from './router.ts'
import type { BoundSocket, ShardService } from './shard-service.ts'

interface OfSession {
  readonly shard: number
  readonly sessionId: string
}
/** The socket of a browser that is connected here, and its way to the owner of its session. */
interface SocketRoute extends OfSession {
  readonly socketId: string
  /** The epoch of the owner that knows of it; `null` until the owner has answered. */
  epoch: number | null
  /** The calls that an owner elsewhere waits for. */
  readonly pending: Set<string>
  /** What came before the owner answered. */
  early: (() => void)[]
  /** This node has closed it: its browser connects again in a moment. */
  isClosed: boolean
}

interface Heard extends OfSession {
  readonly socketId: string
  readonly at: number
}
type FrameNote = Readonly<{ about: 'frame'; to: BoundSocket; sessionId: string; epoch: number; frame: OutgoingFrame }>
/** What a browser sends, for the owner of its session. */
type BrowserNote =
  | (OfSession & { readonly about: 'result'; readonly result: ToolResultIn })
  | (OfSession & { readonly about: 'picture'; readonly picture: PictureIn })
  | (OfSession & { readonly about: 'gone'; readonly socketId: string })
/** A node of the version before sends one `heard` for each browser, in other fields. */
type Note = FrameNote | BrowserNote | { readonly about: 'heard'; readonly browsers?: readonly Heard[] }
/** To all nodes: the node that has the socket closes it. `socketId: null`: any socket of the session. */
type CloseNote = Readonly<{ sessionId: string; socketId: string | null } & typeof MOVED>

/** 1013: try again later. */
const MOVED = { code: 1013, reason: 'The session moved' }
const EXECUTE = 'mcp_execute_tool'

/**
 * [M5] Browsers and the owners of their sessions, wherever each is. An owner that changes, or messages that may be lost,
 * close the sockets: a browser connects again by itself, and says what it knows of its calls.
 */
export class Sockets {
  readonly #node: ClusterNode
  readonly #messages: Messages
  readonly #router: Router
  readonly #relay: Outbox
  readonly #routes = new Map<string, SocketRoute>()
  /** Browsers whose owner is another node and has not been notified yet, by session. */
  readonly #heard = new Map<string, Heard>()
  /** Sockets at nodes that are gone. */
  readonly #lostSockets = new Set<string>()
  /** Sent when messages can leave again. */
  readonly #unsent: CloseNote[] = []
  /** Since when messages cannot leave. */
  #aloneSince: number | null = null

  constructor(node: ClusterNode, messages: Messages, router: Router, relay: Outbox) {
    this.#node = node
    this.#messages = messages
    this.#router = router
    this.#relay = relay
  }

  serve(): void {
    this.#messages.serve(this.#node.id, (note: Note) => this.#noted(note))
    this.#messages.serve('close', (note: CloseNote) => this.#closeHere(note))
  }

  /** How what runs of a shard reaches its browsers. */
  outboxOf(service: ShardService): Outbox {
    return {
      send: (sessionId, frame) => {
        const to = service.sockets.get(sessionId)
        if (!to) return false
        if (to.node === this.#node.id) return this.#relay.send(sessionId, frame)
        if (!this.#messages.connected) return false
        const { epoch } = service.owned
        this.#messages.tell(to.node, { about: 'frame', to, sessionId, epoch, frame } satisfies Note)
        return true
      },
      close: (sessionId, socketId, code, reason) => {
        if (service.sockets.get(sessionId)?.socketId === socketId) service.sockets.delete(sessionId)
        this.#close({ sessionId, socketId }, { code, reason })
      },
    }
  }

  connected(record: SessionRecord, socket: ConnectedSocket): void {
    const route: SocketRoute = {
      ...{ sessionId: record.id, socketId: socket.socketId, shard: shardOf(record.workspaceId) },
      ...{ epoch: null, pending: new Set(), early: [], isClosed: false },
    }
    // Its owner knows one socket of a session: one that has moved since would never close this one.
    const former = this.#routes.get(record.id)
    this.#routes.set(record.id, route)
    if (former) this.#relay.close(record.id, former.socketId, ...CLOSES.replaced)
    this.#router
      .callOwner(record.workspaceId, 'browserConnected', (again) => {
        const present = this.#routes.get(record.id)
        // Asked again, it would replace the socket that came after it. One that has closed is told if it may be known.
        if (present !== route && (present || !again))
          throw new Error('The socket is not the one of its browser any more')
        return [record, socket, this.#node.id]
      })
      .then(
        ({ epoch, pending }) => {
          route.epoch = epoch
          for (const requestId of pending) route.pending.add(requestId)
          for (const send of route.early.splice(0)) send()
          // The shard may have moved since.
          if (this.#node.ownerOf(route.shard).epoch > epoch) this.#close(route)
        },
        () => this.#close(route),
      )
  }

  disconnected(sessionId: string, socketId: string): void {
    const route = this.#routes.get(sessionId)
    if (route?.socketId !== socketId) return
    this.#routes.delete(sessionId)
    // That this node goes is seen by the others.
    if (this.#node.leaving) return
    const tell = () => this.#toOwner(route, { about: 'gone', shard: route.shard, sessionId, socketId })
    // Its calls need not fail: by then it has said on another socket what it knows of them.
    if (route.isClosed) this.#node.ports.clock.setTimeout(tell, MOVED_BROWSER_MS_MAX)
    else tell()
  }

  result(sessionId: string, result: ToolResultIn): void {
    const route = this.#routes.get(sessionId)
    if (!route) return
    route.pending.delete(result.requestId)
    this.#toOwner(route, { about: 'result', shard: route.shard, sessionId, result })
  }

  picture(sessionId: string, picture: PictureIn): void {
    const route = this.#routes.get(sessionId)
    if (route) this.#toOwner(route, { about: 'picture', shard: route.shard, sessionId, picture })
  }

  /** Notifies each other owner of all its browsers here in one message, every HEARD_EVERY_MS. */
  heard(sessionId: string, at: number): void {
    const route = this.#routes.get(sessionId)
    // An owner that does not know the socket yet would close it.
    if (!route || route.epoch === null) return
    const { shard, socketId } = route
    const browser = { shard, sessionId, socketId, at }
    if (this.#service(shard)) {
      this.#browserHeard(browser)
      return
    }
    if (this.#heard.size === 0) this.#node.ports.clock.setTimeout(() => this.#sendHeard(), HEARD_EVERY_MS)
    this.#heard.set(sessionId, browser)
  }

  pendingCalls(sessionId: string): readonly string[] {
    const route = this.#routes.get(sessionId)
    if (!route) return []
    return this.#service(route.shard)?.pendingCalls(sessionId) ?? [...route.pending]
  }

  /** Owners may have changed, and nodes may be gone. */
  viewRefreshed(): void {
    for (const route of this.#routes.values()) {
      if (route.epoch !== null && route.epoch < this.#node.ownerOf(route.shard).epoch) this.#close(route)
    }
    for (const service of this.#node.services()) {
      for (const [sessionId, to] of service.sockets) if (!this.#isThere(to.node)) this.#leave(service, sessionId, to)
    }
    this.releaseUnlessRequired()
  }

  /** Without the bus this node reaches what it owns alone, and nothing when it could not look either: another may. */
  releaseUnlessRequired(): void {
    const now = this.#node.ports.clock.now()
    this.#aloneSince = this.#messages.connected ? null : (this.#aloneSince ?? now)
    if (this.#aloneSince === null || now - this.#aloneSince < BUS_AWAY_MS_MAX) return
    for (const route of this.#routes.values())
      if (!route.isClosed && !(this.#node.viewIsFresh && this.#service(route.shard))) this.#close(route)
  }

  /** Whether the browser of a session is connected to this node. */
  isHere(sessionId: string): boolean {
    return this.#routes.has(sessionId)
  }

  /** Messages may have been lost: between browsers here and owners elsewhere, and the other way round. */
  reconnected(): void {
    for (const route of this.#routes.values()) if (!this.#service(route.shard)) this.#close(route)
    for (const note of this.#unsent.splice(0)) this.#close(note, note)
    for (const { sockets } of this.#node.services())
      for (const [sessionId, { node, socketId }] of sockets)
        if (node !== this.#node.id) this.#close({ sessionId, socketId })
  }

  #service(shard: number): TaskService | null {
    return this.#node.service(shard)?.running.taskService ?? null
  }

  /** Closes a socket, wherever it is; when the bus is away, as soon as it is back. */
  #close({ sessionId, socketId }: Pick<CloseNote, 'sessionId' | 'socketId'>, reason = MOVED): void {
    const note: CloseNote = { sessionId, socketId, ...reason }
    const isHere = this.#routes.get(sessionId)?.socketId === socketId
    this.#closeHere(note)
    if (isHere) return
    if (this.#messages.connected) this.#messages.tell('close', note)
    else if (socketId !== null) this.#unsent.push(note)
  }

  #closeHere({ sessionId, socketId, code, reason }: CloseNote): void {
    const route = this.#routes.get(sessionId)
    if (code === MOVED.code && route?.socketId === socketId) route.isClosed = true
    this.#relay.close(sessionId, socketId, code, reason)
  }

  #sendHeard(): void {
    const connected = [...this.#heard.values()].filter(
      ({ sessionId, socketId }) => this.#routes.get(sessionId)?.socketId === socketId,
    )
    this.#heard.clear()
    for (const { id } of this.#node.view.nodes) {
      const browsers = connected.filter(({ shard }) => this.#node.ownerOf(shard).node === id)
      if (browsers.length > 0) this.#messages.tell(id, { about: 'heard', browsers } satisfies Note)
    }
  }

  #toOwner(route: SocketRoute, note: Note): void {
    if (route.epoch === null) {
      route.early.push(() => this.#toOwner(route, note))
      return
    }
    const { node } = this.#node.ownerOf(route.shard)
    if (node === this.#node.id) this.#noted(note)
    else if (node !== null) this.#messages.tell(node, note)
  }

  #noted(note: Note): void {
    if (note.about === 'frame') {
      const route = this.#routes.get(note.sessionId)
      if (route?.socketId !== note.to.socketId || (route.epoch ?? 0) > note.epoch) return
      const { requestId } = note.frame
      if (note.frame.type === EXECUTE && typeof requestId === 'string') route.pending.add(requestId)
      this.#relay.send(note.sessionId, note.frame)
      return
    }
    if (note.about === 'heard') {
      for (const browser of note.browsers ?? []) this.#browserHeard(browser)
      return
    }
    const service = this.#node.service(note.shard)
    if (!service) return
    const { taskService } = service.running
    if (note.about === 'result') taskService.toolResult(note.sessionId, note.result)
    else if (note.about === 'picture') taskService.picture(note.sessionId, note.picture)
    else this.#gone(service, note.sessionId, note.socketId)
  }

  /** A socket that its owner does not know is closed: the message that was to close it may have been lost. */
  #browserHeard({ shard, sessionId, socketId, at }: Heard): void {
    const service = this.#node.service(shard)
    if (service?.sockets.get(sessionId)?.socketId === socketId) service.running.taskService.heard(sessionId, at)
    else if (service) this.#close({ sessionId, socketId })
  }

  #isThere(node: string): boolean {
    return node === this.#node.id || this.#node.view.nodes.some(({ id }) => id === node)
  }

  /**
   * The node of a browser is gone. Its calls need not fail: in a moment it says on another socket what it knows of them.
   * Should the node only have been stopped, it closes the socket when it goes on: its owner does not know it any more.
   */
  #leave(service: ShardService, sessionId: string, { node, socketId }: BoundSocket): void {
    if (this.#lostSockets.has(socketId)) return
    this.#lostSockets.add(socketId)
    this.#node.ports.clock.setTimeout(() => {
      this.#lostSockets.delete(socketId)
      if (this.#isThere(node)) return
      this.#gone(service, sessionId, socketId)
      this.#close({ sessionId, socketId })
    }, MOVED_BROWSER_MS_MAX)
  }

  #gone(service: ShardService, sessionId: string, socketId: string): void {
    if (service.sockets.get(sessionId)?.socketId === socketId) service.sockets.delete(sessionId)
    service.running.taskService.browserDisconnected(sessionId, socketId)
  }
}
