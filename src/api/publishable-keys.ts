import type { Response } from '../net/transport.ts'
import { errorBody } from '../wire/errors.ts'
import { json } from './replies.ts'
import type { Principal } from './route.ts'

/** [A6] What publishable keys may not do, as the 403 says it. */
export type GuardedAction =
  | 'create tasks'
  | 'access tasks'
  | 'access usage data'
  | 'create API keys'
  | 'list API keys'
  | 'delete API keys'
  | 'access billing data'
  | 'manage webhooks'
  | 'let browsers start tasks'
  | 'add browsers to pools'
  | 'read the audit log'
  | 'change limits'
  | 'manage profiles'

/** [A5] The refusal of what publishable keys may not do. */
export const publishable = (action: GuardedAction): Response =>
  json(403, errorBody('publishable_key', `Publishable keys cannot ${action}. Use a secret key (svc_live_...).`))

/** [A7] A publishable key reaches only what it paired itself. */
export const ownOnly = ({ publishable, keyId }: Principal): string | null => (publishable ? keyId : null)
