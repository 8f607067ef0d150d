import { SECOND_MS } from '../../machines/limits.ts'
import type { AuthConfig } from '../config/config.ts'
import { OIDC } from './path.ts'
import type { Auth } from './sign-in-library.ts'

const DISCOVERY_MS_MAX = 10 * SECOND_MS

/**
 * [A39] The sign-in library with a provider of OpenID Connect, apart from the one for all else: a provider that does not
 * answer holds up nobody who signs in by a password. It is looked for when it is needed, and again after a failure.
 */
export function createOidc(
  config: AuthConfig['oidc'],
  load: (oidc: NonNullable<AuthConfig['oidc']>) => Promise<Auth>,
): () => Promise<Auth> {
  let opened: Promise<Auth> | null = null
  async function open(oidc: NonNullable<AuthConfig['oidc']>): Promise<Auth> {
    const auth = await load(oidc)
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`${oidc.issuer} does not answer`)), DISCOVERY_MS_MAX).unref()
    })
    const { socialProviders } = await Promise.race([auth.$context, late])
    const found = socialProviders.find(({ id }) => id === OIDC)
    if (!found) throw new Error(`${oidc.issuer} has no usable OpenID Connect discovery document`)
    const issuer = String(found.issuer).replace(/\/+$/, '')
    if (issuer !== oidc.issuer)
      throw new Error(`OIDC_ISSUER is ${oidc.issuer}, but its discovery document names ${issuer}`)
    return auth
  }
  return async () => {
    if (config === null) throw new Error('OIDC_ISSUER is not set')
    const opening = opened ?? open(config)
    opened = opening
    try {
      return await opening
    } catch (error) {
      if (opened === opening) opened = null
      throw error
    }
  }
}
