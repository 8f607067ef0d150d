import { type AccountsAnswer, askAccounts } from '../../identity/ask-accounts.ts'
import { hashToken, isPublishable } from '../../identity/tokens.ts'
import type { Request, Response } from '../../net/transport.ts'
import {
  ChangePasswordBody,
  Claimed,
  ClaimWorkspaceBody,
  Notifications,
  PasswordChanged,
  SetNotificationsBody,
} from '../../wire/members.ts'
import type { HttpDeps } from '../deps.ts'
import { badField, refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { type Route, userRoute } from '../route.ts'

const tag = 'Members'

/** [A32, A38] What a person does with an account of their own. */
export const accountRoutes = (deps: HttpDeps): readonly Route[] => [
  userRoute({
    method: 'POST',
    path: '/v1/workspaces/claim',
    right: 'read',
    body: ClaimWorkspaceBody,
    about: {
      summary: 'Claim a workspace',
      tag,
      answers: { 200: Claimed },
      errors: { 400: ['key_required'], 409: ['has_owner'] },
    },
    run: async ({ principal: { userId }, body, request }) => {
      const hash = body.key === null ? await signedInKey(request, deps) : hashToken(body.key.trim())
      if (hash === null) return badField('key_required', 'key is required')
      const record = await deps.store.keys.byHash(hash)
      const workspace = record && !isPublishable(record) ? await deps.store.workspaces.get(record.workspaceId) : null
      if (workspace === null) return badField('key_invalid', 'key must be a secret key: it begins with svc_live_')
      const { id, name } = workspace
      if ((await deps.members.claim(id, userId)) !== 'done') return refuse('has_owner')
      const claimed: Claimed = { workspace_id: id, name, role: 'owner', key_id: record?.id ?? '' }
      return json(200, claimed)
    },
  }),
  userRoute({
    method: 'POST',
    path: '/v1/account/password',
    right: 'read',
    body: ChangePasswordBody,
    about: {
      summary: 'Change your password',
      tag,
      answers: { 200: PasswordChanged },
      errors: { 409: ['no_password'], 429: ['too_many_passwords'] },
    },
    run: async ({ body, request }) => {
      if (deps.accounts === null) return refuse('account_required')
      const fields = { currentPassword: body.current_password, newPassword: body.new_password }
      const asked = { ...fields, revokeOtherSessions: true }
      return changed(await askAccounts(request, deps.accounts, 'change-password', asked))
    },
  }),
  userRoute({
    method: 'GET',
    path: '/v1/account/notifications',
    right: 'read',
    about: { summary: 'Get your notification settings', tag, answers: { 200: Notifications }, errors: {} },
    run: async ({ principal: { userId } }) => json(200, await notificationsOf(userId, deps)),
  }),
  userRoute({
    method: 'PATCH',
    path: '/v1/account/notifications',
    right: 'read',
    body: SetNotificationsBody,
    about: { summary: 'Update your notification settings', tag, answers: { 200: Notifications }, errors: {} },
    run: async ({ principal: { userId }, body }) => {
      await deps.mailWishes.set(userId, body.email)
      return json(200, await notificationsOf(userId, deps))
    },
  }),
]

/** [P43] */
const notificationsOf = async (userId: string, { mailWishes, accounts }: HttpDeps): Promise<Notifications> => ({
  email: await mailWishes.get(userId),
  can_send: accounts?.sendsMail === true,
})

/** [A30] The hash of the key with which this browser is signed in to the pages, beside the account. */
const signedInKey = async ({ headers: { cookie } }: Request, { keySession }: HttpDeps): Promise<string | null> =>
  cookie === undefined ? null : ((await keySession?.(cookie)) ?? null)

/** The cookie of the request is good no more after the change: the new one goes along. */
function changed({ status, code, message, cookies }: AccountsAnswer): Response {
  if (status < 400) return json(200, { changed: true } satisfies PasswordChanged, cookies)
  if (status === 429) return refuse('too_many_passwords')
  if (code === 'CREDENTIAL_ACCOUNT_NOT_FOUND') return refuse('no_password')
  return code === 'INVALID_PASSWORD'
    ? badField('current_password_invalid', 'current_password is wrong')
    : badField('new_password_invalid', `new_password is refused: ${message}`)
}
