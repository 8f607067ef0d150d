import * as v from 'valibot'
import { asBefore, type TaskRecord } from '../../machines/records.ts'
import { REFUSALS, TO_BROWSER } from '../../machines/texts.ts'
import { uuidAt } from '../../machines/uuid.ts'
import { CONTEXT_CHARS_MAX, TASK_CHARS_MAX, URL_CHARS_MAX } from '../wire/limits.ts'
import type { CreateTask } from '../wire/relay-panel.ts'
import { givenSecrets, sealedFingerprints, sealedFor, secrets as secretsField } from '../wire/secrets.ts'
import { withSecrets } from '../wire/start-secrets.ts'
import type { RelayContext } from './relay.ts'
import { rightsOf } from './rights.ts'
import type { RelaySocket, SocketState } from './socket-state.ts'

/** [R22–R28, R58] A task from the side panel: its checks in their order, each with its text. */
export async function createTask(
  relay: RelayContext,
  socket: RelaySocket,
  message: CreateTask,
  foreign: boolean,
): Promise<void> {
  const session = socket.data.session
  if (!session) return
  const requestId = message.requestId ?? relay.ids.uuid()
  const fail = (error: string) => relay.send(session.id, { type: 'task_error', requestId, error })
  try {
    const { task, url = null, context = null, browserSessionId, approvals = null } = message
    const { askUser = null, allowedDomains = null } = message
    if (typeof task !== 'string' || task.trim() === '' || task.length > TASK_CHARS_MAX) {
      return void fail(TO_BROWSER.invalidTask)
    }
    if (!isOptionalText(url, URL_CHARS_MAX) || (url !== null && !URL.canParse(url)))
      return void fail(TO_BROWSER.invalidUrl)
    if (!isOptionalText(context, CONTEXT_CHARS_MAX)) return void fail(TO_BROWSER.invalidContext)
    if (foreign || browserSessionId !== session.id) {
      return void fail(REFUSALS.session_not_found)
    }
    const { allowTasks, byPublishableKey, keyId } = await rightsOf(relay, session.id)
    if (!allowTasks) return void fail(TO_BROWSER.tasksNotAllowed)
    if (byPublishableKey && !relay.use.starts.takes(keyId ?? session.id, relay.clock.now())) {
      return void fail(TO_BROWSER.publishableRate)
    }
    const before = await earlierTask(relay, session, message.continueTaskId ?? null)
    if (typeof before === 'string') return void fail(before)
    const request = {
      ...{ task, url, context, browserSessionId: session.id, webhookUrl: null },
      ...{ approvals, asksUser: askUser, allowedDomains, continuesTaskId: before?.id ?? null },
    }
    const given = await givenBeside(relay, session, message, before)
    if (typeof given === 'string') return void fail(given)
    const { files, values, ...beside } = given
    const asked = withSecrets(before ? asBefore(request, before) : request, values, before)
    if ('message' in asked) {
      await relay.taskService.dropFiles(files)
      return void fail(asked.path[0] === 'url' ? TO_BROWSER.invalidUrl : asked.message)
    }
    const answer = await relay.taskService.startTask({
      door: 'relay',
      workspaceId: session.workspaceId,
      apiKeyId: null,
      requestId,
      request: { ...asked, ...(files.length > 0 ? { files } : {}) },
      ...beside,
    })
    if (answer.ok) return
    await relay.taskService.dropFiles(files)
    fail(answer.refusal.message)
  } catch (error) {
    relay.log.error({ sessionId: session.id, err: error }, 'A task from a browser was not started')
    fail(REFUSALS.internal)
  }
}

/** [R58] The files of the start, and its secrets, sealed for its task alone; a text: why it cannot have them. */
async function givenBeside(
  { taskService, store, secretBox, clock, ids }: RelayContext,
  { workspaceId }: NonNullable<SocketState['session']>,
  message: CreateTask,
  before: TaskRecord | null,
) {
  const parsed = v.safeParse(secretsField, message.secrets ?? [])
  if (!parsed.success)
    return `Invalid ${['secrets', ...pathOf(parsed.issues[0])].join('.')}: ${parsed.issues[0].message}`
  const secrets = givenSecrets(parsed.output)
  const named = message.files ?? []
  if (secrets.length + named.length === 0 && before?.fingerprints === undefined) return { files: [], values: [] }
  if (secrets.length > 0 && !secretBox) return TO_BROWSER.secretsNotConfigured
  const taskId = uuidAt(clock.now(), ids.uuid())
  // Files of tasks are for their own browsers alone.
  for (const { fileId } of named) if ((await store.files.get(fileId))?.taskId !== null) return TO_BROWSER.fileNotFound
  const files = named.length === 0 ? [] : await taskService.giveFiles(workspaceId, taskId, named)
  if (files === 'files_full') return TO_BROWSER.filesFull
  if (files === 'file_not_found') return TO_BROWSER.fileNotFound
  const fingerprints = secretBox ? sealedFingerprints(taskId, secrets, before, secretBox) : undefined
  return {
    files,
    ...(fingerprints ? { fingerprints } : {}),
    values: secrets,
    taskId,
    ...(secretBox && secrets.length > 0 ? { secrets: sealedFor(taskId, secrets, secretBox) } : {}),
  }
}

const pathOf = ({ path }: v.BaseIssue<unknown>): string[] => (path ?? []).map(({ key }) => String(key))

/** [I10] The ended task of this session that a new one continues; a text: why it cannot. */
async function earlierTask(
  { taskService }: RelayContext,
  { id, workspaceId }: NonNullable<SocketState['session']>,
  taskId: string | null,
) {
  const task = taskId === null ? null : await taskService.task(workspaceId, taskId)
  if (taskId === null) return null
  if (task?.browserSessionId !== id) return TO_BROWSER.taskNotFound
  return task.status === 'running' ? TO_BROWSER.taskRunning : task
}

const isOptionalText = (value: unknown, charsMax: number): value is string | null =>
  value === null || (typeof value === 'string' && value.length <= charsMax)
