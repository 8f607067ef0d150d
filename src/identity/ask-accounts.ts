import type { Accounts } from '../api/deps.ts'
import type { Request, Response } from '../net/transport.ts'

/** What the sign-in library has answered. */
export interface AccountsAnswer {
  readonly status: number
  /** Its own name for what it refused, such as `INVALID_PASSWORD`; empty when it named nothing. */
  readonly code: string
  /** Why it refused, as a sentence. */
  readonly message: string
  /** The `Set-Cookie` headers that go along with the answer. */
  readonly cookies: Response['headers']
}

/**
 * Asks the sign-in library, which knows neither forms nor our API, what `request` asks for. The client's own headers go
 * along: its checks of origin and address hold here too.
 */
export async function askAccounts(
  request: Request,
  accounts: Accounts,
  endpoint: string,
  body: object,
  isInvited = false,
): Promise<AccountsAnswer> {
  const answer = await accounts.handle(
    {
      method: 'POST',
      ip: request.ip,
      bodyTooLarge: request.bodyTooLarge,
      signal: request.signal,
      path: `/api/auth/${endpoint}`,
      query: '',
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
    isInvited,
  )
  const cookies = answer.headers.filter(([name]) => name.toLowerCase() === 'set-cookie')
  return { status: answer.status, cookies, ...complaintOf(answer) }
}

const FAILED = 'The request failed. Try again.'

function complaintOf({ status, body }: Response): { readonly code: string; readonly message: string } {
  try {
    const said = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined))
    const code = typeof said.code === 'string' ? said.code : ''
    if (status === 429 && code !== 'TOO_MANY_PASSWORDS')
      return { code, message: 'Too many attempts. Wait a minute, then try again.' }
    if (code === 'EMAIL_NOT_VERIFIED')
      return { code, message: 'Confirm your e-mail address first: a link is on its way to it.' }
    return { code, message: typeof said.message === 'string' && said.message !== '' ? said.message : FAILED }
  } catch {
    return { code: '', message: FAILED }
  }
}
