import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileRecord } from '../../machines/file-records.ts'
import type {
  Ending,
  JournalEntry,
  KeyRecord,
  PairingRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
  WorkspaceRecord,
} from '../../machines/records.ts'
import { NO_USAGE } from '../../machines/records.ts'

/** A moment at which things in tests happen. */
export const THEN = Date.UTC(2026, 10, 20, 12)

const folders: string[] = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is removed when the process ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'browser-task-'))
  folders.push(folder)
  return folder
}

// Records with what a test does not care about filled in

export const aTask = (fields: Partial<TaskRecord> = {}): TaskRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  apiKeyId: randomUUID(),
  door: 'http',
  requestId: null,
  task: 'Buy “tea”, 2 × 100 g',
  url: 'https://shop.example/?a.b=$1',
  context: null,
  browserSessionId: randomUUID(),
  webhookUrl: null,
  status: 'running',
  answer: null,
  steps: 0,
  usage: NO_USAGE,
  failure: null,
  endedBy: null,
  createdAt: THEN,
  deadlineAt: THEN + 1_800_000,
  completedAt: null,
  ...fields,
})

export const anEnding = (taskId: string, fields: Partial<Ending> = {}): Ending => ({
  taskId,
  status: 'complete',
  answer: 'Bought.',
  failure: null,
  endedBy: 'completed',
  steps: 3,
  usage: { inputTokens: 10, outputTokens: 5, apiCalls: 3 },
  model: 'scripted',
  completedAt: THEN + 60_000,
  ...fields,
})

/** What a tool call gave, as the journal has it. */
export const anEntry = (text: string): Extract<JournalEntry, { kind: 'result' }> => ({
  kind: 'result',
  step: 1,
  requestId: '00000000-0000-4000-8000-000000000000',
  tool: 'javascript_tool',
  text,
  failed: false,
  screenshot: null,
  durationMs: 12,
  at: THEN,
})

export const aFile = (fields: Partial<FileRecord> = {}): FileRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  taskId: null,
  name: 'invoice “ä”.pdf',
  mediaType: 'application/pdf',
  size: 3,
  origin: 'given',
  createdAt: THEN,
  ...fields,
})

export const aSession = (fields: Partial<SessionRecord> = {}): SessionRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  keyId: null,
  label: null,
  externalUserId: null,
  tokenHash: randomUUID(),
  createdAt: THEN,
  connectedAt: null,
  lastHeartbeat: null,
  expiresAt: THEN + 1_000,
  tabId: null,
  windowId: null,
  ...fields,
})

export const aPairing = (fields: Partial<PairingRecord> = {}): PairingRecord => ({
  tokenHash: randomUUID(),
  workspaceId: randomUUID(),
  keyId: null,
  label: 'laptop',
  externalUserId: null,
  expiresAt: THEN + 300_000,
  ...fields,
})

export const aKey = (fields: Partial<KeyRecord> = {}): KeyRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  name: 'key',
  type: 'secret',
  keyHash: randomUUID(),
  keyPrefix: 'svc_live_0123456',
  createdAt: THEN,
  lastUsedAt: null,
  ...fields,
})

export const aWorkspace = (fields: Partial<WorkspaceRecord> = {}): WorkspaceRecord => ({
  id: randomUUID(),
  name: `workspace ${randomUUID()}`,
  plan: 'free',
  members: [],
  createdAt: THEN,
  ...fields,
})

export const aUsage = (fields: Partial<UsageRecord> = {}): UsageRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  apiKeyId: randomUUID(),
  taskRunId: randomUUID(),
  model: 'scripted',
  inputTokens: 10,
  outputTokens: 2,
  apiCalls: 1,
  at: THEN,
  ...fields,
})

/** Everything that an iteration gives. */
export async function collected<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** Asks until the answer is yes; after `ms` the last question fails the test. */
export async function eventually(what: string, ask: () => Promise<boolean>, ms = 10_000): Promise<void> {
  const until = performance.now() + ms
  while (!(await ask())) {
    if (performance.now() > until) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
