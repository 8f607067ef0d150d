import { randomUUID } from 'node:crypto'
import { createTaskService, type RunningTaskService } from '../../actors/create-task-service.ts'
import type { Model, ModelReply, ModelRequest, Ports, Store } from '../../actors/runtime/ports.ts'
import type { KeyRecord, SessionRecord } from '../../machines/records.ts'
import type { SecretBox } from '../../src/identity/secret-box.ts'
import { hashToken, newToken } from '../../src/identity/tokens.ts'
import { secretsOf } from '../../src/main/own-store.ts'
import { toolbox } from '../../src/models/toolbox.ts'
import { openRelay, type Relay } from '../../src/relay/relay.ts'
import { answering } from '../support/answering.ts'
import { eventually } from '../support/eventually.ts'
import { HandClock } from '../support/hand-clock.ts'
import { groundStore } from '../support/http-ground.ts'
import { memoryLog } from '../support/http-wire.ts'
import { inAMoment } from '../support/scene/clock.ts'
import { THEN } from '../support/stores.ts'
import { noWebhook } from '../support/webhook-memory.ts'
import { openDoor, type Peer } from './peer.ts'

/** Plays the replies in turn, the last one for ever. */
export function playing(...replies: (Partial<Extract<ModelReply, { kind: 'reply' }>> | ModelReply)[]) {
  const asked: ModelRequest[] = []
  const model: Model = {
    id: 'played',
    provider: 'test',
    async ask(request) {
      const reply = replies[Math.min(asked.length, replies.length - 1)]
      asked.push(request)
      const full = { kind: 'reply', text: '', calls: [], inputTokens: 10, outputTokens: 2, model: 'played', ...reply }
      const ends = full.kind === 'reply' && full.calls.length === 0
      return (ends ? { ...full, ...answering(full.text, request.tools) } : full) as ModelReply
    },
  }
  return { model, asked }
}

export const calling = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] })

export interface Scene {
  readonly clock: HandClock
  readonly log: ReturnType<typeof memoryLog>
  readonly store: Store
  readonly relay: Relay
  readonly actors: RunningTaskService
  readonly workspaceId: string
  /** A paired browser's record and its token. */
  paired(fields?: Partial<SessionRecord>): Promise<{ record: SessionRecord; token: string }>
  /** A browser that has paired and registered. */
  browser(options?: {
    protocol?: number
    fields?: Partial<SessionRecord>
  }): Promise<{ peer: Peer; record: SessionRecord; token: string }>
  /** A socket on which nothing was said. */
  connect(): Promise<Peer>
  register(token: string, more?: object): Promise<Peer>
  /** Turns the clock, and waits until every browser has heard what came of it. */
  turn(ms: number): Promise<void>
  /** Every browser and the relay have heard what the other said. */
  settled(): Promise<void>
  start(record: SessionRecord, fields?: object): Promise<string>
  /** The task has come to this state. */
  until(taskId: string, state: string): Promise<void>
  ended(taskId: string): Promise<NonNullable<Awaited<ReturnType<Store['tasks']['get']>>>>
  close(): Promise<void>
}

/** Relay, taskService and the ground's store together, on a clock that the test turns. */
export async function openScene(
  model: Model,
  billing: Ports['billing'] = null,
  secretBox: SecretBox | null = null,
): Promise<Scene> {
  const clock = new HandClock(THEN)
  const store = await groundStore()
  const log = memoryLog()
  const ids = { uuid: randomUUID }
  const relay = openRelay({ store, clock, ids, log, secretBox })
  const door = await openDoor(relay)
  const webhook = noWebhook
  const ports: Ports = {
    store,
    model,
    tools: toolbox,
    outbox: relay.outbox,
    webhook,
    clock,
    ids,
    log,
    billing,
    secrets: secretsOf(secretBox),
  }
  const actors = createTaskService(ports, { retentionDays: 30, verify: false, later: inAMoment })
  relay.attach(actors.taskService)
  await actors.start()
  const workspaceId = randomUUID()
  await store.workspaces.insert({ id: workspaceId, name: 'scene', plan: 'free', members: [], createdAt: THEN })

  const paired: Scene['paired'] = async (fields = {}) => {
    const token = newToken('session')
    const record: SessionRecord = {
      id: randomUUID(),
      workspaceId,
      keyId: null,
      label: null,
      externalUserId: null,
      tokenHash: hashToken(token),
      createdAt: THEN,
      connectedAt: null,
      lastHeartbeat: null,
      expiresAt: THEN + 86_400_000,
      tabId: null,
      windowId: null,
      ...fields,
    }
    await store.sessions.insert(record)
    return { record, token }
  }
  const register: Scene['register'] = async (token, more = { protocol: 2 }) => {
    const peer = await door.connect()
    await peer.says({ type: 'register', role: 'extension', session_token: token, ...more })
    await eventually(() => peer.received.length > 0 || peer.closed !== null, 'an answer to register')
    await door.settled()
    return peer
  }
  return {
    clock,
    log,
    store,
    relay,
    actors,
    workspaceId,
    paired,
    connect: door.connect,
    register,
    async turn(ms) {
      clock.turn(ms)
      await door.settled()
    },
    settled: door.settled,
    async browser({ protocol = 2, fields } = {}) {
      const { record, token } = await paired(fields)
      return { peer: await register(token, protocol === 1 ? {} : { protocol }), record, token }
    },
    async start(record, fields = {}) {
      const request = {
        task: 'Buy tea',
        url: null,
        context: null,
        browserSessionId: record.id,
        webhookUrl: null,
        ...fields,
      }
      const answer = await actors.taskService.startTask({
        door: 'http',
        workspaceId,
        apiKeyId: 'key',
        requestId: null,
        request,
      })
      if (!answer.ok) throw new Error(`Refused: ${answer.refusal.message}`)
      return answer.task.id
    },
    until: (taskId, state) =>
      eventually(
        async () => (await actors.taskService.task(workspaceId, taskId))?.state === state,
        `the task to be ${state}`,
      ),
    async ended(taskId) {
      await eventually(async () => (await store.tasks.get(taskId))?.status !== 'running', 'the task ends')
      const record = await store.tasks.get(taskId)
      if (!record) throw new Error('The task is gone')
      return record
    },
    async close() {
      relay.close()
      await door.close()
      await actors.stop()
      await store.close()
    },
  }
}

export const aKey = (workspaceId: string, fields: Partial<KeyRecord> = {}): KeyRecord => ({
  id: randomUUID(),
  workspaceId,
  name: 'key',
  type: 'secret',
  keyHash: hashToken(newToken('secret')),
  keyPrefix: 'svc_live_0000000',
  createdAt: THEN,
  lastUsedAt: null,
  ...fields,
})
