import { StoreUnwritable } from '../../../actors/runtime/ports.ts'
import type { Refusal, StartedTask, TaskService, TaskView, Waiting } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import type { RecipeMode } from '../../../machines/recipe.ts'
import { asBefore, type TaskRecord, type TaskRequest } from '../../../machines/records.ts'
import { REFUSALS, type RefusalCode, refusalText } from '../../../machines/texts.ts'
import { isUuid, uuidAt } from '../../../machines/uuid.ts'
import type { Response } from '../../net/transport.ts'
import { keysOf } from '../../wire/errors.ts'
import type { GivenFileBody } from '../../wire/files.ts'
import { PRIORITY_DEFAULT, QUEUE_TTL_S_DEFAULT, WAIT_TTL_S_DEFAULT } from '../../wire/limits.ts'
import type { SchemaFault } from '../../wire/schema-references.ts'
import { givenSecrets, sealedFingerprints, sealedFor, secretWarnings } from '../../wire/secrets.ts'
import { askedDomains, withSecrets } from '../../wire/start-secrets.ts'
import {
  type CreateTask,
  CreateTaskBody,
  createdBy,
  type Given,
  RerunBody,
  requestOf,
  textsOf,
  type WaitingFields,
} from '../../wire/task-request.ts'
import { StartQuery, Task } from '../../wire/tasks.ts'
import { spanContextIn, traceparentOf } from '../../wire/traceparent.ts'
import { warningsOf } from '../../wire/unknown-fields.ts'
import { auditActorOf } from '../audited.ts'
import type { HttpDeps } from '../deps.ts'
import { whenSettled } from '../events/wait.ts'
import { VIEWERS_MAX } from '../limits.ts'
import { withLimits } from '../rate-limit-headers.ts'
import { badField, refuse, refusedStart } from '../refusals.ts'
import { json } from '../replies.ts'
import { type KeyCall, keyRoute, type Principal, type Route } from '../route.ts'
import { createFileKeeper, NO_FILE } from './start-files.ts'
import { checkModel, checkSteps } from './start-model.ts'
import { filledTexts, inputNamingSecret } from './start-placeholders.ts'
import { profileUse } from './start-profile.ts'
import { recipeUse } from './start-recipe.ts'
import { wholeTask } from './task-json.ts'

const tag = 'Tasks'
const action = 'create tasks'
/** [T7–T13] What a start can be refused with. */
const errors = {
  400: ['browser_session_id_required', 'file_not_fetched'],
  402: ['no_allowance', 'places_held'],
  403: ['session_forbidden'],
  404: ['session_not_found', 'task_not_found', 'profile_not_found'],
  409: [
    'session_not_connected',
    'session_expired',
    'pool_empty',
    'pool_busy',
    'profile_busy',
    'task_running',
    'files_full',
    'recipe_missing',
  ],
  413: ['body_too_large'],
  429: ['rate_limited', 'too_many_running', 'queue_full', 'too_many_files', 'too_many_fetches', 'too_many_schemas'],
  503: [
    'secrets_not_configured',
    'model_not_configured',
    'service_stopping',
    'workspace_failed',
    'too_many_uploads',
    'schema_not_checked',
  ],
}

/** [T1–T23, T58] Starting tasks. */
export function startRoutes(deps: HttpDeps): readonly Route[] {
  const { taskService, store, secretBox, clock, ids } = deps
  const keepFiles = createFileKeeper(deps)
  const whole = wholeTask(deps)

  async function start(
    call: KeyCall,
    given: TaskRequest,
    givenFiles: readonly GivenFileBody[],
    how: WaitingFields &
      Pick<CreateTask, 'browser' | 'secrets' | 'output_schema'> & { readonly recipe: RecipeMode | null },
    waitS = 0,
  ): Promise<Response> {
    const { principal, claim } = call
    const { continuesTaskId = null } = given
    const before = continuesTaskId === null ? null : await taskService.task(principal.workspaceId, continuesTaskId)
    if (continuesTaskId !== null && before === null) return refuse('task_not_found')
    if (before?.status === 'running') return refuse('task_running')
    const secrets = givenSecrets(how.secrets)
    const naming = inputNamingSecret(given)
    if (naming !== undefined)
      return badField('inputs_invalid', `inputs.${naming} must not name a secret`, ['inputs', naming])
    const texts = filledTexts(given)
    if (typeof texts === 'string') return badField('inputs_invalid', `inputs ${texts}`, ['inputs'])
    const asked = withSecrets({ ...(before ? asBefore(given, before) : given), ...texts }, secrets, before)
    if ('message' in asked) return badField(`${asked.path[0]}_invalid`, asked.message, asked.path)
    const { workspaceId } = principal
    const reads = principal.reads ?? taskService.readForStart?.(workspaceId)
    const wrong = checkSteps(asked, deps.config.taskStepsMax) ?? (await checkModel(deps, asked, workspaceId, reads))
    if (wrong) return wrong
    const recipe = await recipeUse(store, principal.workspaceId, how.recipe, given)
    if (typeof recipe === 'string')
      return recipe === 'recipe_missing' ? refuse(recipe) : badField('recipe_invalid', recipe)
    const profile = await profileUse(store, principal.workspaceId, how.browser, asked.browser)
    if (profile === 'profile_not_found') return refuse(profile)
    if (profile === 'browser_invalid')
      return badField(profile, 'browser.profile needs browser.pool, and browser.save a profile')
    const waiting = waitingOf(how)
    // The schema of an earlier task was checked when it was given.
    const newSchema = how.output_schema ? asked.outputSchema : null
    if (newSchema || givenFiles.length > 0) {
      const refused = await refusedEarly(taskService, { workspaceId, waiting })
      if (refused) return refused
    }
    const checked = newSchema ? await deps.checkSchema(workspaceId, newSchema) : null
    if (typeof checked === 'string') return refuse(checked)
    if (checked && 'fault' in checked) return badSchema(checked)
    if (secrets.length > 0 && !secretBox) return refuse('secrets_not_configured')
    const needsId = givenFiles.length + secrets.length > 0 || before?.fingerprints !== undefined
    const taskId = claim?.createdId ?? (needsId ? uuidAt(clock.now(), ids.uuid()) : undefined)
    const fingerprints = taskId && secretBox ? sealedFingerprints(taskId, secrets, before, secretBox) : undefined
    const files =
      taskId && givenFiles.length > 0
        ? await keepFiles(principal.workspaceId, taskId, givenFiles, call.request.signal)
        : []
    if ('status' in files) return files
    const caller = spanContextIn(call.request.headers.traceparent)
    const request = {
      ...asked,
      // A pool chooses it.
      ...(asked.browser?.pool == null ? {} : { browserSessionId: '' }),
      ...(profile && asked.browser ? { browser: { ...asked.browser, profile } } : {}),
      ...(recipe ? { recipe } : {}),
      ...(checked ? { outputSchema: checked.schema } : {}),
      ...(files.length > 0 ? { files } : {}),
      ...(caller ? { traceparent: traceparentOf(caller) } : {}),
    }
    const answer = await taskService.startTask({
      door: 'http',
      workspaceId: principal.workspaceId,
      apiKeyId: principal.keyId,
      requestId: null,
      request,
      ...(reads ? { reads } : {}),
      // [X1] Whatever carries a start from here on, between nodes, too, has no value to show.
      ...(taskId && secretBox && secrets.length > 0 ? { secrets: sealedFor(taskId, secrets, secretBox) } : {}),
      ...(fingerprints ? { fingerprints } : {}),
      ...(waiting ? { waiting } : {}),
      ...(taskId ? { taskId } : {}),
    })
    const left = await taskService.limitsLeft(principal.workspaceId)
    if (answer.ok && profile) noteUse(principal, profile.id, answer.task.id)
    if (answer.ok) {
      const started = withLimits(await answerOf(viewOf(answer.task), call, waitS), left)
      const warnings = warningsOf(secretWarnings(secrets, given.allowedDomains ?? null))
      return { ...started, headers: [...started.headers, ...warnings] }
    }
    await taskService.dropFiles(files)
    if (!UNDECIDED.has(answer.refusal.code)) return withLimits(refusedStart(answer.refusal), left)
    // Whatever it left is ended; until then the next attempt needs the same id, and while an earlier one may go on, too.
    if (!answer.refusal.left && !claim?.again) claim?.letGo()
    if (answer.refusal.code === 'store_away') throw new StoreUnwritable(answer.refusal.message)
    throw new Error('the task service could not decide on a start')
  }

  /** [O11, Z11] */
  const noteUse = (principal: Principal, resource: string, taskId: string) =>
    deps.audit?.note({
      ...{ workspaceId: principal.workspaceId, action: 'useProfile', keyId: principal.keyId },
      ...{ actor: auditActorOf(principal), resource, details: { task_id: taskId } },
    })

  /** [T20, T65] The task as it is or, waited for, as it is then. */
  async function answerOf(started: TaskView, { request, principal }: KeyCall, waitS: number): Promise<Response> {
    const { id } = started
    if (waitS === 0 || taskService.events.viewers(id) >= VIEWERS_MAX) return json(201, await whole(started))
    const wait = { ms: waitS * SECOND_MS, since: 0, signal: request.signal }
    await whenSettled(taskService, clock, started, wait)
    return json(201, await whole((await taskService.task(principal.workspaceId, id)) ?? started))
  }

  /** [E23] An attempt that was cut short may have started it. One that failed has not: once its rest is ended, another id is used. */
  const startedBefore = async ({ principal, claim }: KeyCall) => {
    const task = claim?.again ? await taskService.task(principal.workspaceId, claim.createdId) : null
    if (task?.isLeft) throw new StoreUnwritable(REFUSALS.store_away)
    if (task?.endedBy !== 'crash' || task.steps > 0) return task
    claim?.letGo()
    throw new StoreUnwritable(REFUSALS.store_away)
  }

  return [
    keyRoute({
      method: 'POST',
      path: '/v1/tasks',
      action,
      body: CreateTaskBody,
      query: StartQuery,
      about: { summary: 'Start a task', tag, answers: { 201: Task }, errors },
      run: async (call) => {
        const started = await startedBefore(call)
        return started
          ? answerOf(started, call, call.query.wait_s)
          : start(call, createdBy(call.body), call.body.files ?? [], call.body, call.query.wait_s)
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/rerun',
      action,
      body: RerunBody,
      about: {
        summary: 'Rerun a task',
        tag,
        answers: { 201: Task },
        errors: { ...errors, 400: [...errors[400], 'secrets_required'] },
      },
      run: async (call) => {
        const { principal, params } = call
        const [id = ''] = params
        const started = await startedBefore(call)
        if (started) return answerOf(started, call, 0)
        const earlier = isUuid(id) ? await taskService.task(principal.workspaceId, id) : null
        if (earlier === null) return refuse('task_not_found')
        // [X7] Their values are gone with the end of the earlier task, or its alone.
        if (earlier.secrets?.length && call.body.secrets === null) return badField('secrets_required', SECRETS_AGAIN)
        const files = call.body.files ?? (earlier.files ?? []).map(({ id }) => ({ ...NO_FILE, file_id: id }))
        const request = { ...withEarlier(requestOf(call.body), earlier), rerunOf: earlier.id }
        const recipe = call.body.recipe ?? earlier.recipe?.mode ?? null
        return start(call, request, files, { ...call.body, recipe })
      },
    }),
  ]
}

/** [L31] */
const badSchema = ({ at, fault }: SchemaFault): Response =>
  badField('output_schema_invalid', `output_schema ${at === '' ? '' : `at ${at} `}${fault}`, [
    'output_schema',
    ...keysOf(at),
  ])

/** [E6, D22] Failures rather than refusals: whatever of the start is there is ended. */
const UNDECIDED: ReadonlySet<RefusalCode> = new Set(['internal', 'store_away'])

/** A task of which nothing is known but that it was started: `task.created` is its first event. */
const viewOf = (task: StartedTask): TaskView => ({ ...task, state: task.queue ? 'queued' : 'starting', seq: 1 })

const SECRETS_AGAIN = 'secrets are not kept: give those of the task again, or an empty list'

/** [T58] What was not given is as it was in the earlier request. */
function withEarlier(given: Given<TaskRequest>, record: TaskRecord): TaskRequest {
  // [Z7] A browser that is named now replaces the pool, and the other way round.
  const browser = given.browser ?? (given.browserSessionId === null ? record.browser : null)
  const earlier = { ...record, ...textsOf(record), allowedDomains: askedDomains(record) }
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    value ?? earlier[name as keyof TaskRequest] ?? null,
  ])
  return { ...Object.fromEntries(fields), ...(browser ? { browser } : {}) }
}

/** [T59, T60] What a start waits for; `null`: nothing, it is refused. */
const waitingOf = (body: WaitingFields): Waiting | null =>
  body.on_limit === 'queue' || body.on_away === 'wait'
    ? {
        onLimit: body.on_limit === 'queue',
        priority: body.priority ?? PRIORITY_DEFAULT,
        queueTtlMs: (body.queue_ttl_s ?? QUEUE_TTL_S_DEFAULT) * SECOND_MS,
        onAway: body.on_away === 'wait',
        waitTtlMs: (body.wait_ttl_s ?? WAIT_TTL_S_DEFAULT) * SECOND_MS,
      }
    : null

/**
 * [T7, T8] Refuses a start that has no allowance, or no start left in this minute, before anything is fetched or compiled
 * for it. Resolves to `null` when the workspace is to decide. Running tasks (T9) are left to it, because a start that they
 * refuse counts against the rate.
 */
async function refusedEarly(
  taskService: Pick<TaskService, 'allowance' | 'limitsLeft'>,
  { workspaceId, waiting }: { readonly workspaceId: string; readonly waiting: Waiting | null },
): Promise<Response | null> {
  const allowance = await taskService.allowance(workspaceId)
  const left = await taskService.limitsLeft(workspaceId)
  const refused = (code: RefusalCode, message: string, more: Partial<Refusal> = {}) =>
    withLimits(refusedStart({ code, message, allowance: null, retryAfterSeconds: null, ...more }), left)
  if (allowance.freeRemaining !== null && allowance.freeRemaining + allowance.creditBalance <= 0)
    return refused('no_allowance', REFUSALS.no_allowance, { allowance })
  if (left.starts > 0 || waiting?.onLimit) return null
  const retryAfterSeconds = Math.max(1, Math.ceil(left.resetMs / SECOND_MS))
  return refused('rate_limited', refusalText('rate_limited', { ...left, queuedTasks: 0 }), { retryAfterSeconds })
}
