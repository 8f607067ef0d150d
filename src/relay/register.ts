import * as v from 'valibot'
import { ANSWERS_INPUTS } from '../../machines/input-request.ts'
import { REGISTER_BYTES_MAX } from '../../machines/limits.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { TO_BROWSER } from '../../machines/texts.ts'
import { hashToken, isToken } from '../identity/tokens.ts'
import { CLOSE, Register } from '../wire/relay.ts'
import { SHOWS_LIVE, TAKES_PICTURES } from '../wire/relay-live.ts'
import type { RelayContext } from './relay.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * The first frame of a socket: a browser proves its session token. Anything else closes the socket; so does a second
 * frame before the answer.
 */
export async function register(relay: RelayContext, socket: RelaySocket, text: string | null): Promise<void> {
  const link = socket.data
  if (link.registering) {
    socket.close(CLOSE.noRegister, 'A frame before registered')
    return
  }
  const frame = parse(text)
  if (!frame) {
    socket.close(CLOSE.noRegister, 'The first frame must be a register of at most 8 KB')
    return
  }
  link.registering = true
  try {
    const record = await sessionOf(relay, frame.session_token)
    if (link.closed) return
    if (!record) {
      socket.send(JSON.stringify({ type: 'error', error: TO_BROWSER.invalidToken }))
      socket.close(CLOSE.invalidToken, TO_BROWSER.invalidToken)
      return
    }
    const workspace = await relay.store.workspaces.get(record.workspaceId)
    if (link.closed) return
    bind(relay, socket, record, frame, workspace?.name ?? null)
  } catch (error) {
    relay.log.error({ err: error }, 'A browser could not be registered')
    socket.close(1011, 'Internal error')
  }
}

function parse(text: string | null): Register | null {
  if (text === null || Buffer.byteLength(text) > REGISTER_BYTES_MAX) return null
  try {
    const parsed = v.safeParse(Register, JSON.parse(text))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

async function sessionOf(relay: RelayContext, token: string): Promise<SessionRecord | null> {
  if (!isToken('session', token)) return null
  const record = await relay.store.sessions.byTokenHash(hashToken(token))
  if (!record || record.expiresAt <= relay.clock.now()) return null
  // [S16] The sessions that a key paired end when it is deleted, by any process.
  const isOrphan = record.keyId !== null && (await relay.store.keys.missing([record.keyId])).length > 0
  return isOrphan ? null : record
}

function bind(
  relay: RelayContext,
  socket: RelaySocket,
  record: SessionRecord,
  frame: Register,
  workspace: string | null,
): void {
  const link = socket.data
  const protocol = frame.protocol !== undefined && frame.protocol >= 2 ? 2 : 1
  link.session = { id: record.id, workspaceId: record.workspaceId, keyId: record.keyId }
  link.protocol = protocol
  link.showsLive = protocol === 2 && (frame.tools?.includes(SHOWS_LIVE) ?? false)
  link.answersInputs = protocol === 2 && (frame.tools?.includes(ANSWERS_INPUTS) ?? false)
  socket.admit()
  // Bound before the session is told, because what the session sends from then on is for this socket.
  relay.bySession.set(record.id, socket)
  socket.send(
    JSON.stringify({
      type: 'registered',
      browserSessionId: record.id,
      clientId: link.socketId,
      protocol,
      ...(protocol === 2 && workspace !== null ? { workspace } : {}),
      ...(protocol === 2 ? { takes: [TAKES_PICTURES] } : {}),
    }),
  )
  relay.taskService.browserConnected(record, {
    socketId: link.socketId,
    protocol,
    calls: frame.calls ?? [],
    browserInstanceId: frame.instance ?? null,
    tools: protocol === 2 ? (frame.tools ?? []) : null,
    tasks: frame.tasks ?? [],
    locale: { locale: frame.locale ?? null, timeZone: frame.time_zone ?? null },
  })
  relay.live.connected(record.id)
  relay.log.info({ sessionId: record.id, protocol }, 'A browser is connected')
}
