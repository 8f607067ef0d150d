import * as v from 'valibot'
import type { ProfileRecord } from '../../../machines/profiles.ts'
import { isUuid, uuidAt } from '../../../machines/uuid.ts'
import { Queues } from '../../config/queues.ts'
import type { Request } from '../../net/transport.ts'
import { pageOf } from '../../wire/list.ts'
import {
  BROWSER_PROFILES_PATH,
  CreateProfileBody,
  Profile,
  ProfileList,
  ProfileValues,
  SignInBody,
  TaskProfile,
} from '../../wire/profiles.ts'
import { Deleted } from '../../wire/sessions.ts'
import { Task } from '../../wire/tasks.ts'
import type { HttpDeps } from '../deps.ts'
import { PROFILES_MAX } from '../limits.ts'
import { refuse, refusedStart } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Principal, publicRoute, type Route } from '../route.ts'
import { browserOf } from './session-token.ts'
import { profileIn } from './start-profile.ts'
import { wholeTask } from './task-json.ts'

const tag = 'Profiles'
const action = 'manage profiles'
const NO_PROFILE = { 404: ['profile_not_found'] }
const OWN_POOL = 'default'

/** [Z10, Z12, Z13] Profiles: what signs tasks in to sites. Their values are read and saved by browsers of tasks alone. */
export function profileRoutes(deps: HttpDeps): readonly Route[] {
  const { store, clock, ids, secretBox, taskService, audit } = deps
  const whole = wholeTask(deps)
  // One after the other: those that come at once count the same.
  const creating = new Queues(1)
  const own = ({ workspaceId }: Principal, id = ''): Promise<ProfileRecord | null> => profileIn(store, workspaceId, id)

  /** The task of a browser and its profile. */
  async function taskOf(request: Request, taskId: string) {
    const session = await browserOf(deps, request)
    if ('status' in session) return session
    const task = isUuid(taskId) ? await taskService.task(session.workspaceId, taskId) : null
    const profile = task?.browserSessionId === session.id ? task.browser?.profile : undefined
    return task && profile ? { session, task, profile } : refuse('task_not_found')
  }

  return [
    keyRoute({
      method: 'POST',
      path: '/v1/profiles',
      action,
      body: CreateProfileBody,
      about: {
        summary: 'Create a profile',
        tag,
        answers: { 201: Profile },
        errors: { 409: ['profile_exists', 'too_many_profiles'], 503: ['secrets_not_configured'] },
      },
      run: ({ principal: { workspaceId }, body: { name }, claim }) =>
        creating.add(workspaceId, async () => {
          if (!secretBox) return refuse('secrets_not_configured')
          if ((await store.profiles.list(workspaceId)).length >= PROFILES_MAX) return refuse('too_many_profiles')
          const createdAt = clock.now()
          const id = claim?.createdId ?? uuidAt(createdAt, ids.uuid())
          const record = { id, workspaceId, name, createdAt, savedAt: null }
          const isKept = (await store.profiles.insert(record)) || (await store.profiles.get(id)) !== null
          return isKept ? json(201, profileJson(record)) : refuse('profile_exists')
        }),
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/profiles',
      action,
      about: { summary: 'List profiles', tag, answers: { 200: ProfileList } },
      run: async ({ principal: { workspaceId } }) =>
        json(200, pageOf('profiles', (await store.profiles.list(workspaceId)).map(profileJson))),
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/profiles/:id',
      action,
      about: { summary: 'Get a profile', tag, answers: { 200: Profile }, errors: NO_PROFILE },
      run: async ({ principal, params: [id] }) => {
        const record = await own(principal, id)
        return record ? json(200, profileJson(record)) : refuse('profile_not_found')
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/profiles/:id',
      action,
      about: { summary: 'Delete a profile', tag, answers: { 200: Deleted }, errors: NO_PROFILE },
      run: async ({ principal, params: [given] }) => {
        const { id = '' } = (await own(principal, given)) ?? {}
        const deleted = id !== '' && (await store.profiles.remove(principal.workspaceId, id))
        return deleted ? json(200, { id, deleted } satisfies Deleted) : refuse('profile_not_found')
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/profiles/:id/sign-in',
      action,
      body: SignInBody,
      about: {
        summary: 'Sign in to a site for a profile',
        tag,
        answers: { 201: Task },
        errors: {
          402: ['no_allowance', 'places_held'],
          404: ['profile_not_found'],
          409: ['pool_empty', 'pool_busy', 'profile_busy'],
          429: ['rate_limited', 'too_many_running'],
          503: ['secrets_not_configured', 'model_not_configured', 'service_stopping', 'workspace_failed'],
        },
      },
      run: async ({ principal, params: [given], body, claim }) => {
        if (!secretBox) return refuse('secrets_not_configured')
        const record = await own(principal, given)
        if (!record) return refuse('profile_not_found')
        const { url, pool } = body
        const profile = { id: record.id, save: true, signIn: true } as const
        const answer = await taskService.startTask({
          ...{ door: 'http', workspaceId: principal.workspaceId, apiKeyId: principal.keyId, requestId: null },
          request: {
            ...{ task: `Sign in at ${new URL(url).host}`, url, context: null, webhookUrl: null, asksUser: true },
            ...{ browserSessionId: '', browser: { pool: pool ?? OWN_POOL, profile } },
          },
          ...(claim ? { taskId: claim.createdId } : {}),
        })
        if (!answer.ok) return refusedStart(answer.refusal)
        return json(201, await whole({ ...answer.task, state: 'starting', seq: 1 }))
      },
    }),
    publicRoute({
      method: 'GET',
      path: `${BROWSER_PROFILES_PATH}/:task_id`,
      about: {
        summary: 'Get the profile of a task',
        tag,
        answers: { 200: TaskProfile },
        errors: { 401: ['session_token_invalid'], 404: ['task_not_found'], 503: ['secrets_not_configured'] },
      },
      run: async ({ request, params: [taskId = ''] }) => {
        const found = await taskOf(request, taskId)
        if ('status' in found) return found
        const { task, profile } = found
        if (task.status !== 'running') return refuse('task_not_found')
        const sealed = await store.profiles.values(profile.id)
        if (sealed === null) return json(200, { save: profile.save, values: null } satisfies TaskProfile)
        const text = opened(sealed, profile.id)
        if (text === null) return refuse('secrets_not_configured')
        return json(200, { save: profile.save, values: JSON.parse(text) } satisfies TaskProfile)
      },
    }),
    publicRoute({
      method: 'POST',
      path: `${BROWSER_PROFILES_PATH}/:task_id`,
      body: 'bytes',
      about: {
        summary: 'Save the profile of a task',
        tag,
        answers: { 200: Profile },
        errors: {
          400: ['profile_invalid'],
          401: ['session_token_invalid'],
          404: ['task_not_found'],
          413: ['body_too_large'],
          503: ['secrets_not_configured', 'too_many_uploads'],
        },
      },
      run: async ({ request, params: [taskId = ''] }) => {
        const found = await taskOf(request, taskId)
        if ('status' in found) return found
        if (!secretBox) return refuse('secrets_not_configured')
        const values = valuesIn(request.body)
        if (values === null) return refuse('profile_invalid')
        const { session, profile } = found
        const { workspaceId, id: sessionId } = session
        const sealed = secretBox.seal(values, profile.id)
        const isSaved = await taskService.saveProfile(workspaceId, taskId, sessionId, sealed)
        const record = isSaved ? await store.profiles.get(profile.id) : null
        if (!record) return refuse('task_not_found')
        audit?.note({
          ...{ workspaceId, action: 'saveProfile', resource: profile.id, details: { task_id: taskId } },
          actor: { kind: 'browser', id: sessionId, name: session.label ?? '', role: null },
        })
        return json(200, profileJson(record))
      },
    }),
  ]

  /** `null`: SECRETS_KEY is another one than when it was saved. */
  function opened(sealed: string, profileId: string): string | null {
    try {
      return secretBox?.open(sealed, profileId) ?? null
    } catch {
      return null
    }
  }
}

const profileJson = ({ id, name, createdAt, savedAt }: ProfileRecord): Profile => ({
  id,
  name,
  created_at: createdAt,
  saved_at: savedAt,
})

/** JSON text of values; `null` for anything else. */
function valuesIn(body: Uint8Array): string | null {
  try {
    const parsed = v.safeParse(ProfileValues, JSON.parse(new TextDecoder().decode(body)))
    return parsed.success ? JSON.stringify(parsed.output) : null
  } catch {
    return null
  }
}
