import { mayHave, withValues } from '../../../../machines/secrets.ts'
import type { NavigateInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import type { Call } from '../page.ts'
import { addressOf } from './address.ts'

/** What answers when the site asks by HTTP authentication. */
export interface SignIn {
  readonly user: string
  readonly password: string
}

/** [X10] The user name and password of an input. Throws a ToolError when its address may not have a secret of them. */
export function signIn(call: Call, { url, user = '', password = '' }: NavigateInput): SignIn | null {
  if (user === '' && password === '') return null
  const { origin } = new URL(addressOf(url.trim()))
  const foreign = call.secrets.find(({ domains }) => !mayHave(domains, [origin]))
  if (foreign) {
    const domains = foreign.domains.join(', ')
    throw new ToolError(`Not opened: the secret ${foreign.name} is only for pages of ${domains}.`, origin)
  }
  return { user: withValues(user, call.secrets), password: withValues(password, call.secrets) }
}

/** The address with what the browser answers a site that asks by HTTP authentication. It shows it nowhere. */
export function withSignIn(url: string, { user, password }: SignIn): string {
  const address = new URL(url)
  address.username = encodeURIComponent(user)
  address.password = encodeURIComponent(password)
  return address.href
}
