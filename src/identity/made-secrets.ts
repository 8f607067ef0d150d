import { randomBytes } from 'node:crypto'
import type { Store } from '../../actors/runtime/ports.ts'
import type { Config } from '../config/config.ts'
import { secretsKeyOf } from '../config/kinds.ts'
import { createSecretBox, newSecretsKey, type SecretBox } from './secret-box.ts'

export const SECRET_BYTES = 32

/** [N5] The secret of sign-ins where none is set: made once, and stored with the data. */
export const madeSecret = (store: Pick<Store, 'setting'>) =>
  store.setting('sign-in secret', () => randomBytes(SECRET_BYTES).toString('base64url'))

/** [N14] The box for secrets: by `SECRETS_KEY`; outside production with a key that is made once. `null`: there is no key. */
export async function openSecretBox(
  { secretsKey, production }: Pick<Config, 'secretsKey' | 'production'>,
  store: Pick<Store, 'setting'>,
): Promise<SecretBox | null> {
  const text = secretsKey ?? (production ? null : await store.setting('secrets key', newSecretsKey))
  const key = text === null ? null : secretsKeyOf(text)
  return key && createSecretBox(key)
}
