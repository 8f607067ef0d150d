import * as v from 'valibot'
import type { SealedSecrets } from '../../actors/task-service.ts'
import { type Fingerprints, fingerprintsOf, SALT_MAX } from '../../machines/fingerprints.ts'
import type { TaskRecord } from '../../machines/records.ts'
import { isShortWord } from '../../machines/redaction.ts'
import type { SecretRecord } from '../../machines/secrets.ts'
import { EVERYBODYS, isEverybodys } from './domains.ts'
import { absentable, domains, EVERYWHERE, field, filledText, text } from './fields.ts'
import { DESCRIPTION_CHARS_MAX, DOMAINS_MAX, SECRET_CHARS_MAX, SECRET_CHARS_MIN, SECRETS_MAX } from './limits.ts'
import { totpOf } from './totp.ts'

/** [X1] A secret of a task. No message has a word of what was given: it may be a value. */
export const SecretBody = v.pipe(
  v.object(
    {
      name: field(
        v.pipe(v.string('must be a string'), v.regex(/^[\w-]{1,40}$/, 'must be 1 to 40 of a–z, A–Z, 0–9, _ and -')),
        'The model writes `{{secret:name}}` where the value belongs.',
        'password',
      ),
      value: field(
        absentable(filledText(SECRET_CHARS_MIN, SECRET_CHARS_MAX)),
        'The value. Give either this or `totp`.',
        'correct horse battery staple',
      ),
      totp: field(
        absentable(
          v.pipe(
            filledText(1, SECRET_CHARS_MAX),
            v.check(
              (given) => wrongTotp(given) === null,
              ({ input }) => wrongTotp(input) ?? '',
            ),
          ),
        ),
        'What one-time codes are made of: a secret in base32, or an `otpauth://totp/` address.',
        null,
      ),
      domains: field(
        v.pipe(
          domains(DOMAINS_MAX),
          v.check((list) => !list.some(isEverybodys), EVERYBODYS),
        ),
        'The only pages on which it is typed, with every page around them.',
        ['shop.example'],
      ),
      description: field(
        absentable(text(DESCRIPTION_CHARS_MAX)),
        'What the model reads of it.',
        'The password of ada@example.com',
      ),
    },
    ({ received }) => (received === 'undefined' ? 'is missing' : 'must be a list of objects'),
  ),
  v.check(({ value, totp }) => (value === null) !== (totp === null), 'must each have either value or totp'),
)

export const secrets = v.pipe(
  v.array(SecretBody, 'must be a list'),
  v.maxLength(SECRETS_MAX, `must be at most ${SECRETS_MAX}`),
  v.check((given) => new Set(given.map(({ name }) => name)).size === given.length, 'must have different names'),
)

/** [X14] What is less safe than it may look, in sentences: none of them has a word of a value. */
export function secretWarnings(
  given: readonly Pick<GivenSecret, 'name' | 'kind' | 'value'>[],
  allowedDomains: readonly string[] | null,
): string[] {
  const short = given.filter(({ kind, value }) => kind === 'value' && isShortWord(value))
  const everywhere = given.length > 0 && (allowedDomains?.includes(EVERYWHERE) ?? false)
  return [
    ...short.map(({ name }) => `secrets ${name}: a value this short is taken out of texts as a whole word alone`),
    ...(everywhere ? ['allowed_domains *: pages that read a secret may send it anywhere'] : []),
  ]
}

export interface GivenSecret extends SecretRecord {
  readonly value: string
}

export const givenSecrets = (body: v.InferOutput<typeof secrets> | null): GivenSecret[] =>
  (body ?? []).map(({ name, value, totp, domains, description }) => ({
    name,
    kind: totp === null ? 'value' : 'totp',
    value: totp ?? value ?? '',
    domains,
    description,
  }))

/** What goes on with the start of a task: the values only sealed, and for this task alone. */
export const sealedFor = (
  taskId: string,
  given: readonly GivenSecret[],
  box: { seal(text: string, owner: string): string },
): SealedSecrets => ({
  known: given.map(({ value: _, ...known }) => known),
  sealed: box.seal(JSON.stringify(Object.fromEntries(given.map(({ name, value }) => [name, value]))), taskId),
})

/**
 * [X13] What a task that continues this one knows its secrets by, and those of the tasks `before` it; `undefined`: there are
 * none. What was sealed with another key is left out.
 */
export function sealedFingerprints(
  taskId: string,
  given: readonly GivenSecret[],
  before: Pick<TaskRecord, 'id' | 'fingerprints'> | null,
  box: { seal(text: string, owner: string): string; open(sealed: string, owner: string): string },
): string | undefined {
  const earlier = before?.fingerprints === undefined ? [] : openedOr(before.fingerprints, before.id, box.open)
  const typed = given.filter(({ kind }) => kind === 'value')
  const all = [...(typed.length === 0 ? [] : [fingerprintsOf(typed, [salt(), salt()])]), ...earlier]
  return all.length === 0 ? undefined : box.seal(JSON.stringify(all.slice(0, FINGERPRINTED_TASKS_MAX)), taskId)
}

const FINGERPRINTED_TASKS_MAX = 20
const SALT_MIN = 1_000
const salt = (): number => SALT_MIN + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % (SALT_MAX - SALT_MIN))

function openedOr(sealed: string, owner: string, open: (sealed: string, owner: string) => string): Fingerprints[] {
  try {
    return JSON.parse(open(sealed, owner))
  } catch {
    return []
  }
}

function wrongTotp(given: string): string | null {
  try {
    totpOf(given)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
