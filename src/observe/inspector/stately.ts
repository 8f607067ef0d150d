import type { Inspection, Viewer } from '../../../actors/inspection/inspection.ts'
import { redacted } from '../../../actors/inspection/redaction.ts'
import type { Sentences } from '../../../actors/inspection/shown.ts'
import type { Clock, Log } from '../../../actors/runtime/ports.ts'
import { type Address, parseAddress } from '../../../machines/addresses.ts'
import type { Listener, Socket, SocketHandlers, Transport } from '../../net/transport.ts'
import { INSPECTOR_BUFFERED_BYTES_MAX } from './limits.ts'
import { MACHINES } from './machines.ts'

/** The format's version, as `@statelyai/inspect` writes it into every message. */
const FORMAT_VERSION = '0.7.2'
const FRAME_BYTES_MAX = 64 * 1024

type Snapshot = Parameters<Viewer['moved']>[2]

export interface StatelyOptions {
  readonly port: number
  readonly transport: Transport
  readonly inspection: Inspection
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** What the states, events and guards of each machine mean. */
  readonly sentences: Readonly<Record<string, Sentences>>
}

/**
 * Sends what the actors do to XState's own inspectors, as text frames in the format of `@statelyai/inspect`: an actor
 * when it is first seen, then its events and snapshots. On loopback alone; contexts are redacted, events are names.
 */
export async function openStately(options: StatelyOptions): Promise<Listener> {
  const { port, transport, inspection, clock, log, sentences } = options
  const sockets = new Set<Socket<null>>()
  let forget = () => {}

  const base = (address: string) => ({
    _version: FORMAT_VERSION,
    createdAt: String(clock.now()),
    id: null,
    sessionId: address,
    rootId: address,
  })
  const shape = ({ value, context, status }: Snapshot) => ({ status, value, context: redacted(context) })
  const actorOf = (address: Address, snapshot: Snapshot) => ({
    type: '@xstate.actor',
    ...base(address),
    name: address,
    definition: definitionOf(parseAddress(address).actorKind),
    snapshot: shape(snapshot),
  })

  const definitions = new Map<string, string>()
  /** The machine of a kind as JSON, without its functions; its transitions have the sentences of their events. */
  const definitionOf = (kind: string): string => {
    const known = definitions.get(kind) ?? JSON.stringify(described(MACHINES[kind]?.config ?? {}, sentences[kind]))
    definitions.set(kind, known)
    return known
  }

  function send(message: object): void {
    const text = JSON.stringify(message)
    for (const socket of sockets) if (socket.bufferedBytes() < INSPECTOR_BUFFERED_BYTES_MAX) socket.send(text)
  }
  const moved: Viewer['moved'] = (address, event, snapshot, from) => {
    const named = { type: event.type }
    if (event.type === 'xstate.init') send(actorOf(address, snapshot))
    send({ type: '@xstate.event', ...base(address), event: named, ...(from === null ? {} : { sourceId: from }) })
    send({ type: '@xstate.snapshot', ...base(address), event: named, snapshot: shape(snapshot) })
  }

  const handlers: SocketHandlers<null> = {
    data: () => null,
    takesOrigin,
    maxFrameBytes: FRAME_BYTES_MAX,
    open(socket) {
      for (const { address, snapshot } of inspection.live()) socket.send(JSON.stringify(actorOf(address, snapshot)))
      if (sockets.size === 0) forget = inspection.watch({ moved })
      sockets.add(socket)
    },
    message() {},
    close(socket) {
      sockets.delete(socket)
      if (sockets.size === 0) forget()
    },
  }
  const listener = await transport.listen({
    host: '127.0.0.1',
    port,
    maxBodyBytes: 0,
    handle: () => ({ status: 426, headers: [['content-type', 'text/plain']], body: 'A WebSocket is expected here.\n' }),
    sockets: { '/': handlers },
  })
  log.info({ port: listener.port }, 'XState inspectors can connect on loopback.')
  return listener
}

/** What a page elsewhere may not read: XState's own inspector and pages of this machine may. */
const takesOrigin = (origin: string | null): boolean => origin === null || origin === STATELY || LOCAL_PAGE.test(origin)
const STATELY = 'https://stately.ai'
const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

type Config = Readonly<Record<string, unknown>>

/** A state with what each of its transitions means; states have their descriptions already. */
function described(state: Config, sentences: Sentences | undefined): Config {
  const { on, states } = state as { on?: Config; states?: Readonly<Record<string, Config>> }
  const meaning = (event: string, guard: unknown): string =>
    [sentences?.events[event], sentences?.guards[guardName(guard)]].filter(Boolean).join(' Only if: ')
  const transition = (event: string, each: unknown): Config => {
    const config = (typeof each === 'string' ? { target: each } : each) as Config
    return { ...config, description: meaning(event, config.guard) }
  }
  return {
    ...state,
    ...(on ? { on: mapped(on, (event, each) => [each].flat().map((one) => transition(event, one))) } : {}),
    ...(states ? { states: mapped(states, (_, inner) => described(inner, sentences)) } : {}),
  }
}

const guardName = (guard: unknown): string =>
  typeof guard === 'string' ? guard : String((guard as { type?: string } | undefined)?.type ?? '')

const mapped = <From, To>(entries: Readonly<Record<string, From>>, change: (key: string, value: From) => To) =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, change(key, value)]))
