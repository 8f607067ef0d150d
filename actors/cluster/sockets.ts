import type { SessionRecord } from '../../machines/records.ts'
import { BUS_AWAY_MS_MAX, MOVED_BROWSER_MS_MAX } from '../limits.ts'
import type { Outbox } from '../runtime/ports.ts'
import type { ConnectedSocket, PictureIn, TaskService, ToolResultIn } from '../task-service.ts'
import { type Link, newLink } from './link.ts'
import type { Messages } from './messages.ts'
import type { ClusterNode } from './node.ts'
import type { Router } from './router.ts'
import type { BoundSocket, ShardService } from './shard-service.ts'
import type { CloseNote, Note } from './socket-notes.ts'

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
  readonly #links = new Map<string, Link>()
  /** Sockets at nodes that are gone. */
  readonly #left = new Set<string>()
  /** Those that were to close while messages could not leave. */
  readonly #unsaid: (readonly [sessionId: string, socketId: string])[] = []
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
    this.#messages.serve('close', ({ sessionId, socketId, code, reason }: CloseNote) => {
      const link = this.#links.get(sessionId)
      if (code === MOVED.code && link?.socketId === socketId) this.#close(link)
      else this.#relay.close(sessionId, socketId, code, reason)
    })
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
        this.#relay.close(sessionId, socketId, code, reason)
        this.#messages.tell('close', { sessionId, socketId, code, reason } satisfies CloseNote)
      },
    }
  }

  connected(record: SessionRecord, socket: ConnectedSocket): void {
    const link = newLink(record, socket)
    this.#links.set(record.id, link)
    this.#router
      .callOwner(record.workspaceId, 'browserConnected', (again) => {
        const present = this.#links.get(record.id)
        // Asked again, it would replace the socket that came after it. One that has closed is told if it may be known.
        if (present !== link && (present || !again))
          throw new Error('The socket is not the one of its browser any more')
        return [record, socket, this.#node.id]
      })
      .then(
        ({ epoch, pending }) => {
          link.epoch = epoch
          for (const requestId of pending) link.pending.add(requestId)
          for (const send of link.early.splice(0)) send()
          // The shard may have moved since.
          if (this.#node.ownerOf(link.shard).epoch > epoch) this.#close(link)
        },
        () => this.#close(link),
      )
  }

  disconnected(sessionId: string, socketId: string): void {
    const link = this.#links.get(sessionId)
    if (link?.socketId !== socketId) return
    this.#links.delete(sessionId)
    // That this node goes is seen by the others.
    if (this.#node.leaving) return
    const tell = () => this.#toOwner(link, { about: 'gone', shard: link.shard, sessionId, socketId })
    // Its calls need not fail: by then it has said on another socket what it knows of them.
    if (link.isClosed) this.#node.ports.clock.setTimeout(tell, MOVED_BROWSER_MS_MAX)
    else tell()
  }

  result(sessionId: string, result: ToolResultIn): void {
    const link = this.#links.get(sessionId)
    if (!link) return
    link.pending.delete(result.requestId)
    this.#toOwner(link, { about: 'result', shard: link.shard, sessionId, result })
  }

  picture(sessionId: string, picture: PictureIn): void {
    const link = this.#links.get(sessionId)
    if (link) this.#toOwner(link, { about: 'picture', shard: link.shard, sessionId, picture })
  }

  heard(sessionId: string, at: number): void {
    const link = this.#links.get(sessionId)
    if (!link) return
    const on = { node: this.#node.id, socketId: link.socketId }
    this.#toOwner(link, { about: 'heard', shard: link.shard, sessionId, at, on })
  }

  pendingCalls(sessionId: string): readonly string[] {
    const link = this.#links.get(sessionId)
    if (!link) return []
    return this.#service(link.shard)?.pendingCalls(sessionId) ?? [...link.pending]
  }

  /** Owners may have changed, and nodes may be gone. */
  viewRefreshed(): void {
    for (const link of this.#links.values()) {
      if (link.epoch !== null && link.epoch < this.#node.ownerOf(link.shard).epoch) this.#close(link)
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
    for (const link of this.#links.values())
      if (!link.isClosed && !(this.#node.viewIsFresh && this.#service(link.shard))) this.#close(link)
  }

  /** Whether the browser of a session is connected to this node. */
  isHere(sessionId: string): boolean {
    return this.#links.has(sessionId)
  }

  /** Messages may have been lost: between browsers here and owners elsewhere, and the other way round. */
  reconnected(): void {
    for (const link of this.#links.values()) if (!this.#service(link.shard)) this.#close(link)
    for (const [sessionId, socketId] of this.#unsaid.splice(0)) this.#closeAnywhere(sessionId, socketId)
    for (const { sockets } of this.#node.services())
      for (const [sessionId, { node, socketId }] of sockets)
        if (node !== this.#node.id) this.#closeAnywhere(sessionId, socketId)
  }

  #service(shard: number): TaskService | null {
    return this.#node.service(shard)?.running.taskService ?? null
  }

  #close(link: Link): void {
    const { sessionId, socketId } = link
    link.isClosed = true
    this.#relay.close(sessionId, socketId, MOVED.code, MOVED.reason)
  }

  /** Closes it wherever it is. */
  #closeAnywhere(sessionId: string, socketId: string): void {
    const link = this.#links.get(sessionId)
    if (link?.socketId === socketId) this.#close(link)
    else if (!this.#messages.connected) this.#unsaid.push([sessionId, socketId])
    else this.#messages.tell('close', { sessionId, socketId, ...MOVED } satisfies CloseNote)
  }

  #toOwner(link: Link, note: Note): void {
    if (link.epoch === null) {
      link.early.push(() => this.#toOwner(link, note))
      return
    }
    const { node } = this.#node.ownerOf(link.shard)
    if (node === this.#node.id) this.#noted(note)
    else if (node !== null) this.#messages.tell(node, note)
  }

  #noted(note: Note): void {
    if (note.about === 'frame') {
      const link = this.#links.get(note.sessionId)
      if (link?.socketId !== note.to.socketId || (link.epoch ?? 0) > note.epoch) return
      const { requestId } = note.frame
      if (note.frame.type === EXECUTE && typeof requestId === 'string') link.pending.add(requestId)
      this.#relay.send(note.sessionId, note.frame)
      return
    }
    const service = this.#node.service(note.shard)
    if (!service) return
    const { taskService } = service.running
    if (note.about === 'result') taskService.toolResult(note.sessionId, note.result)
    else if (note.about === 'picture') taskService.picture(note.sessionId, note.picture)
    else if (note.about === 'heard') this.#heard(service, note)
    else this.#gone(service, note.sessionId, note.socketId)
  }

  /** A message that was to close the socket may have been lost: it is closed as soon as it is heard of again. */
  #heard({ sockets, running }: ShardService, { sessionId, at, on }: Note & { about: 'heard' }): void {
    if (!on || sockets.get(sessionId)?.socketId === on.socketId) running.taskService.heard(sessionId, at)
    else this.#closeAnywhere(sessionId, on.socketId)
  }

  #isThere(node: string): boolean {
    return node === this.#node.id || this.#node.view.nodes.some(({ id }) => id === node)
  }

  /**
   * The node of a browser is gone. Its calls need not fail: in a moment it says on another socket what it knows of them.
   * Should the node only have been stopped, it closes the socket when it goes on: its owner does not know it any more.
   */
  #leave(service: ShardService, sessionId: string, { node, socketId }: BoundSocket): void {
    if (this.#left.has(socketId)) return
    this.#left.add(socketId)
    this.#node.ports.clock.setTimeout(() => {
      this.#left.delete(socketId)
      if (this.#isThere(node)) return
      this.#gone(service, sessionId, socketId)
      this.#closeAnywhere(sessionId, socketId)
    }, MOVED_BROWSER_MS_MAX)
  }

  #gone(service: ShardService, sessionId: string, socketId: string): void {
    if (service.sockets.get(sessionId)?.socketId === socketId) service.sockets.delete(sessionId)
    service.running.taskService.browserDisconnected(sessionId, socketId)
  }
}
