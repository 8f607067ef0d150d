import { randomBytes } from 'node:crypto'
import type { Log } from '../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import { RESET_LINK_S } from './limits.ts'
import { Guesses } from './password-guesses.ts'

const SECRET_BYTES = 32

/** Where a user sets a new password. */
export const resetLink = (origin: string, token: string): string => `${origin}/reset/${token}`

/**
 * [A31] A link by which a user sets a new password, for the operator to hand over; `null` when there is no such user.
 * The running service takes it, too.
 */
export async function createResetLink(
  { tables, log }: { readonly tables: AuthTables; readonly log: Log },
  email: string,
  origin: string,
): Promise<{ readonly link: string; readonly userId: string } | null> {
  const { openAuth } = await import('./sign-in-library.ts')
  const { internalAdapter } = await openAuth({
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    production: true,
    url: origin,
    google: null,
    oidc: null,
    trustedOrigins: [],
    signUp: false,
    tables,
    guesses: new Guesses(),
    log,
    onSignIn: async () => {},
    onPasswordReset: async () => {},
    sendReset: null,
    sendConfirmation: null,
  }).$context
  const found = await internalAdapter.findUserByEmail(email.toLowerCase())
  if (!found) return null
  const token = randomBytes(SECRET_BYTES).toString('base64url')
  await internalAdapter.createVerificationValue({
    value: found.user.id,
    identifier: `reset-password:${token}`,
    expiresAt: new Date(Date.now() + RESET_LINK_S * SECOND_MS),
  })
  return { link: resetLink(origin, token), userId: found.user.id }
}
